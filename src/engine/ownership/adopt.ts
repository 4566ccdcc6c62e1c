import { naming } from "../../client/explain";
import { compareObject } from "../state/diff";
import { StateError } from "../messages/errors";
import { isShowable } from "../messages/hush";
import type { Props } from "../values/json";
import { managerOf, noteAdopting, otherAdopter, wasGone, type Owner } from "./managed";
import type { Call, Found, Remote } from "../requests/remote";

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
 * tells them. What cannot be changed in place must already be equal: adoption never replaces. Undefined where the
 * resource had its object until somebody deleted it: `adoptId` has done its work then, and a new object is made.
 */
export async function compareForAdoption(
  call: Call,
  remote: Remote,
  id: string,
  args: Props,
): Promise<Adoption | undefined> {
  const { definition, subject } = call;
  const what = `adopting ${id} as ${adopter(call)}`;
  const refuseManaged = (): void => {
    const manager = managerOf(call, id);
    if (manager !== undefined) throw alreadyManaged(what, manager, subject.name);
  };
  refuseManaged();
  const found = await remote.find(call, id, args);
  // The engine looks at several resources at once: another may have been found to manage it meanwhile, or will be.
  refuseManaged();
  if (found === undefined) {
    if (wasGone(call, id)) return undefined;
    throw new StateError(
      `${what}: there is no such object at ${call.path}. Check the id, ${call.client.settingName("host")} and the project or ` +
        `organization; if it was deleted, take adoptId out and a new one is made.`,
    );
  }
  const other = otherAdopter(call, id);
  if (other !== undefined) throw alreadyManaged(what, other, subject.name, "is to take it over too");
  noteAdopting(call, id);
  const { live, changes, replaces } = compareObject(definition, found.object, args);
  const answer = await definition.judge?.(live, args, () => call);
  const stuck = [...replaces, ...(answer?.replaces ?? []).filter((name) => name in changes)];
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
  if (other === undefined) return;
  const what = `adopting ${id} as ${owner.definition.type} "${other}"`;
  throw alreadyManaged(what, owner.subject.name ?? "", other);
}

function alreadyManaged(
  what: string,
  manager: string,
  adopter = "",
  does = "already manages it",
): StateError {
  const named = manager === "" ? "" : `, "${manager}",`;
  return new StateError(
    `${what}: another resource of this stack${named} ${does}. Take one of the two out of the program, or ` +
      `adoptId out of "${adopter}", which is then made anew.`,
  );
}

/** What adoption will change, in a line for the person who reviews the preview. */
export function describeAdoption(
  call: Call,
  id: string,
  adoption: Adoption | undefined,
  showable: (name: string) => boolean,
) {
  const who = adopter(call);
  if (adoption === undefined)
    return `${who}: its object was deleted outside, and so a new one is made; take adoptId (${id}) out of the program`;
  const changes = Object.entries(adoption.changes).map(([name, wanted]) =>
    showable(name) ? `${name}: ${shown(adoption.live[name])} → ${shown(wanted)}` : `${name}: [secret]`,
  );
  const effect = changes.length === 0 ? "as it is, without a change" : `and changes ${changes.join("; ")}`;
  return `${who} takes over ${id} ${effect}`;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? "nothing" : JSON.stringify(value);
}

/** The resource alone: which object it takes over, the message says. */
function adopter({ subject: { id: _, ...resource } }: Call): string {
  return naming(resource);
}
