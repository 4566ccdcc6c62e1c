import { difference, verdict, wantedChanges } from "./diff";
import { StateError } from "./errors";
import { isShowable } from "./hush";
import type { Props } from "./json";
import { isManaged, noteAdopting, otherAdopter, type Owner } from "./managed";
import type { Call, Found, Remote } from "./remote";
import { HIDDEN, isKept, see, visible } from "./state";
import { decodeOutputs } from "./wire";

/** What taking over an existing object would change in it. */
export interface Adoption {
  found: Found;
  /** Arguments that differ, with the wanted value. */
  changes: Props;
  /** The object's values of the declared arguments. */
  live: Props;
}

/**
 * Holds an existing object against the arguments. Secrets and write-only arguments count as equal, since no read
 * tells them. What cannot be changed in place must already be equal: adoption never replaces.
 */
export async function compareForAdoption(
  call: Call,
  remote: Remote,
  id: string,
  args: Props,
): Promise<Adoption> {
  const { definition, subject } = call;
  const what = `adopting ${id} as ${subject.kind} "${subject.name ?? ""}"`;
  const refuseManaged = (): void => {
    if (isManaged(call, id)) throw alreadyManaged(what);
  };
  refuseManaged();
  const found = await remote.find(call, id, args);
  // The engine looks at several resources at once: another may have been found to manage it meanwhile, or will be.
  refuseManaged();
  noteAdopting(call, id);
  if (found === undefined) {
    throw new StateError(
      `${what}: there is no such object at ${call.path}. Check the id, posthog:host and the project or ` +
        `organization; if it was deleted, take adoptId out and a new one is made.`,
    );
  }
  const declared = visible(args);
  const live = {
    ...decodeOutputs(definition.outputs, found.object),
    ...see(definition, found.object, declared).values,
  };
  const differing = difference(definition, { ...live, [HIDDEN.declared]: Object.keys(declared) }, args);
  const changes = Object.fromEntries(
    Object.entries(wantedChanges(differing)).filter(([name]) => !isKept(definition, name)),
  );
  const answer = await definition.judge?.(live, args, () => call);
  const stuck = [
    ...verdict(definition, live, { ...differing, changed: changes }).replaces,
    ...(answer?.replaces ?? []).filter((name) => name in changes),
  ];
  if (stuck.length > 0) {
    const there = stuck.map((name) =>
      isShowable(definition, name, args) ? `${name}: ${shown(live[name])}` : name,
    );
    throw new StateError(
      `${what}: ${stuck.join(", ")} cannot be changed in place and ${stuck.length === 1 ? "differs" : "differ"}. ` +
        `Write what is there (${there.join(", ")}) or leave adoptId out.`,
    );
  }
  return { found, changes, live };
}

/** Refuses to go on with an object that another resource of the program is about to take over. */
export function refuseAdopted(owner: Owner, id: string): void {
  const other = otherAdopter(owner, id);
  if (other !== undefined) throw alreadyManaged(`adopting ${id} as ${owner.definition.type} "${other}"`);
}

function alreadyManaged(what: string): StateError {
  return new StateError(
    `${what}: another resource of this stack already manages it. Take adoptId out of one.`,
  );
}

/** What adoption will change, in a line for the person who reviews the preview. */
export function describeAdoption(
  call: Call,
  id: string,
  adoption: Adoption,
  showable: (name: string) => boolean,
) {
  const changes = Object.entries(adoption.changes).map(([name, wanted]) =>
    showable(name) ? `${name}: ${shown(adoption.live[name])} → ${shown(wanted)}` : `${name}: [secret]`,
  );
  const effect = changes.length === 0 ? "as it is, without a change" : `and changes ${changes.join("; ")}`;
  return `${call.subject.kind} "${call.subject.name ?? ""}" takes over ${id} ${effect}`;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? "nothing" : JSON.stringify(value);
}
