import { NotFoundError } from "../client/errors";
import { callOn } from "../engine/requests/call-on";
import { collectionRemote } from "../engine/requests/collection-remote";
import type { ManagedObject } from "../engine/definition";
import {
  at,
  isObject,
  isSame,
  textAt,
  toJsonObject,
  type JsonObject,
  type Props,
} from "../engine/values/json";
import { numberOf } from "../engine/values/lenient";
import { decidedKeeper, noteMade, ownerAs } from "../engine/ownership/managed";
import type { Call } from "../engine/requests/remote";
import { turnsOf } from "../engine/once/settle";
import type { Turns } from "../engine/once/turns";
import { encodeArguments } from "../engine/values/wire";
import { invite } from "./invite";
import { findMember } from "./member";

/** The organization's invites, for a kind that works on several of them. */
export function invitesOf(call: Call): Call {
  return callOn(call, invite, call.path.replace(/(?:invites|members)\/$/, "invites/"));
}

/** Turns of those who look whether an invite is there and rely on it, and of those who take some back. */
export function turnsWithInvites(call: Call): Turns {
  return turnsOf({ client: call.client, definition: { type: "people" } });
}

/** An address as two are compared: the service lets whoever reads it accept, however it is written. */
export function addressOf(value: unknown): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

/** All invites to an address, newest first; none counts after a second complete pass over the list. */
export async function invitesTo(invites: Call, address: unknown): Promise<JsonObject[]> {
  const fits = (item: unknown): boolean => addressOf(at(item, "target_email")) === addressOf(address);
  const found = await invites.collection.search(fits, invites.reading);
  if (!isObject(found)) return [];
  const others = (await invites.collection.all(invites.reading)).filter(
    (item) => fits(item) && at(item, "id") !== found["id"],
  );
  return [found, ...others.filter(isObject)].map((item) => withNumbers(toJsonObject(item)));
}

/** An invite whose levels are numbers, however the service writes them. */
function withNumbers(invite: JsonObject): JsonObject {
  const level = numberOf(invite["level"]);
  return level === undefined ? invite : { ...invite, level };
}

/** The person of this address among the members. */
export function memberAt(invites: Call, address: unknown) {
  return findMember(invites, invites.path.replace(/invites\/$/, "members/"), { email: address });
}

const DEFAULTS: JsonObject = { first_name: "", level: 1, message: null, private_project_access: null };

/**
 * Whether an invite says what is declared; what is not declared has the service's default. What the service does not
 * show at all is as it was sent: as `sent` declares. Where nobody knows what was sent, it counts as equal: another
 * message to somebody who has one would be worse.
 */
export function says(live: JsonObject, declared: Props, sent?: Props): boolean {
  const wanted = { ...DEFAULTS, ...encodeArguments(invite, declared) };
  const known =
    sent === undefined ? { ...wanted, ...live } : { ...DEFAULTS, ...encodeArguments(invite, sent), ...live };
  return Object.keys(DEFAULTS).every((name) => isSame(known[name], wanted[name]));
}

/** `pending` or `expired`, of an invite as the service shows it. */
export function statusOf(live: JsonObject): "pending" | "expired" {
  return live["is_expired"] === true ? "expired" : "pending";
}

/** The invite of an id that stands in outputs, as an object that another kind manages; none where no id does. */
export function managedInvite(id: unknown): ManagedObject[] {
  return typeof id === "string" ? [{ type: invite.type, id }] : [];
}

/** Notes an invite that was there and will do: it stays, whatever another resource takes back in this run. */
export function keepInvite(call: Call, id: unknown): void {
  if (typeof id === "string") noteMade(ownerAs(call, invite.type), id);
}

/** Takes invites back, except what another resource of this run manages; one that is gone already is fine. */
export async function takeBack(call: Call, ours: readonly JsonObject[]): Promise<void> {
  const invites = invitesOf(call);
  const owner = ownerAs(call, invite.type);
  for (const one of ours) {
    const id = textAt(one, "id");
    if ((await decidedKeeper(owner, id)) !== undefined) continue;
    try {
      await collectionRemote.delete(invites, id, {});
    } catch (error) {
      if (!NotFoundError.isInstance(error)) throw error;
    }
  }
}
