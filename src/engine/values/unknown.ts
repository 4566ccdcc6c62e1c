import { isObject } from "./json";

/**
 * What stands in preview for an output that is not known yet. `pulumi.runtime.unknownValue` is the same text;
 * it is repeated here because loading `@pulumi/pulumi` would double the start of the provider process.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True where the value is unknown, or holds something unknown at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (typeof value === "string") return value.includes(UNKNOWN);
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) && Object.values(value).some(hasUnknown);
}
