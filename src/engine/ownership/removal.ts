import type { Call } from "../requests/remote";
import { declarationOf, keeperOf } from "./managed";

/**
 * The call that removes what an entry of the state stands for; undefined where its object stays, since the program still
 * declares it.
 */
export function removalOf(call: Call, id: string): Call | undefined {
  const { definition, subject } = call;
  const keeper = keeperOf(call, id);
  if (keeper !== undefined) {
    // By its own name, what replaces it is this very object.
    if (keeper !== subject.name)
      call.warn(`released from the state and not deleted, since "${keeper}" manages it as well`);
    return undefined;
  }
  const declaration = declarationOf(call, id);
  if (declaration?.isThis === false) return asLeftover(call);
  // Left by a replacement that was cut off, or about to be replaced by itself.
  const isDeclared = definition.takesOver === true && declaration?.stays === true;
  return isDeclared ? undefined : call;
}

/** Left by a replacement that was cut off: what the new entry of the same name manages besides is another's. */
function asLeftover(call: Call): Call {
  return { ...call, subject: { ...call.subject, name: `${call.subject.name ?? ""} (replaced)` } };
}
