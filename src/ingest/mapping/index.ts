import { z } from "zod";
import type { Fields } from "../event/fields";
import type { Parsed } from "../event/parse";
import { amplitudeFields, amplitudeRenames } from "./amplitude";
import { customFields, customMapping } from "./custom";
import { mixpanelFields, mixpanelRenames } from "./mixpanel";
import { nativeFields } from "./native";
import { posthogFields } from "./posthog";

/** The mappings that have a name. `capture` is the service's own form, and the default. */
export const mappingNames = ["capture", "mixpanel", "amplitude", "posthog"] as const;

/** What the `mapping` argument takes. */
export const mappingArgument = z.union([z.enum(mappingNames), customMapping]);

/** What the `mapping` argument takes. */
export type MappingArgument = z.infer<typeof mappingArgument>;

/** How objects of the source become events. */
export interface Mapping {
  readonly fields: (parsed: Parsed) => Fields;
  /** Event names that the mapping itself translates; the user's `rename` goes first. */
  readonly renames: Readonly<Record<string, string>>;
}

const named: Record<(typeof mappingNames)[number], Mapping> = {
  capture: { fields: nativeFields, renames: {} },
  mixpanel: { fields: mixpanelFields, renames: mixpanelRenames },
  amplitude: { fields: amplitudeFields, renames: amplitudeRenames },
  posthog: { fields: posthogFields, renames: {} },
};

/** The mapping that an argument names or describes. */
export function mappingFor(argument: MappingArgument | undefined): Mapping {
  if (argument === undefined) return named.capture;
  return typeof argument === "string" ? named[argument] : { fields: customFields(argument), renames: {} };
}
