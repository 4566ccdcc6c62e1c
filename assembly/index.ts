export { begin, checksum, finish, hash } from "./identity";
export { scan } from "./scan";
