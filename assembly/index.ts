export { begin, checksum, finish, hash } from "./identity";
export { PLACE, RENAMES, scan } from "./scan";
