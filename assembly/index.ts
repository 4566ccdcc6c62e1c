export { begin, checksum, finish, hash, readUuid } from "./identity";
