import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { definitions } from "../../../src/resources/definitions";
import { type Existing, isExempt, type KindCases } from "./case";

const load = createRequire(__filename);
const registered = definitions.map(({ type }) => type);

/** Every kind of which a file of this folder has cases, in the registry's order, with every argument of theirs. */
export const kinds: readonly KindCases[] = readdirSync(__dirname)
  .filter((file) => !["case.ts", "index.ts"].includes(file))
  .sort()
  .flatMap((file) => casesIn(load(join(__dirname, file))))
  .sort((a, b) => registered.indexOf(a.kind) - registered.indexOf(b.kind));

function casesIn(exported: object): KindCases[] {
  return Object.values(exported).filter(
    (value): value is KindCases =>
      typeof value === "object" && value !== null && "kind" in value && "arguments" in value,
  );
}

/** A kind of which something can be there before a program declares it. */
export type AdoptableCases = KindCases & { readonly existing: Existing };

export function isAdoptable(kind: KindCases): kind is AdoptableCases {
  return !isExempt(kind.existing);
}
export const adoptable = kinds.filter(isAdoptable);

export type * from "./case";
export { DOOMED, isExempt, slugOf, slugsOf } from "./case";
