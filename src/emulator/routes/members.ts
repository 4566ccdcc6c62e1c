import { type Call, noContent, ok } from "../http/call";
import { crash, invalid, notFound, permissionDenied } from "../http/errors";
import { canonicalUuid, choice, isUuid, validatePartial } from "../fields/fields";
import { newestFirst, page } from "../http/pages";
import { leave } from "../world/people";
import type { Route } from "../http/router";
import type { Level, Membership } from "../store/entities";
import { parseTime } from "../fields/times";
import { printMember } from "../views/people";

const LIST = "/api/organizations/:organization_id/members/";
const ONE = `${LIST}:user__uuid/`;

const ADMIN = 8;
const OWNER = 15;

function visible(call: Call): Membership[] {
  const { store } = call.world;
  return store.memberships.filter(
    (row) => row.organization_id === call.organization.id && store.users.require(row.user_id).is_active,
  );
}

function find(call: Call): Membership {
  const uuid = call.parameter("user__uuid");
  if (uuid === "@me") return call.membership;
  const { store } = call.world;
  const membership = isUuid(uuid)
    ? visible(call).find((row) => store.users.require(row.user_id).uuid === canonicalUuid(uuid))
    : undefined;
  if (!membership) throw notFound();
  return membership;
}

function list(call: Call) {
  const after = call.query.get("updated_after");
  let rows = newestFirst(visible(call), (row) => row.joined_at);
  if (after !== null) {
    const time = parseTime(after);
    if (!time) throw crash("upstream passes updated_after to the database as it is");
    rows = rows.filter((row) => Date.parse(row.updated_at) > time.at);
  }
  const order = call.query.get("order");
  if (order !== null) rows = ordered(rows, order);
  return ok(page(call, rows, (row) => printMember(call.world, row)));
}

function ordered(rows: Membership[], order: string): Membership[] {
  const descending = order.startsWith("-");
  const field = order.replace(/^-/, "");
  if (field !== "joined_at" && field !== "updated_at" && field !== "level") {
    throw crash(`upstream lets the database fail on an order by "${field}"`);
  }
  const sorted = [...rows].sort((a, b) =>
    field === "level" ? a.level - b.level : Date.parse(a[field]) - Date.parse(b[field]),
  );
  return descending ? sorted.reverse() : sorted;
}

/** May the caller touch this membership at all? Anyone may touch their own. */
function mayEdit({ membership: own }: Call, target: Membership): void {
  if (target.id === own.id) return;
  if (own.level < ADMIN) throw permissionDenied("You can only edit others if you are an admin.");
  if (target.level > own.level)
    throw permissionDenied("You can only edit others with level lower or equal to you.");
}

function maySetLevel({ membership: own }: Call, target: Membership, level: Level): void {
  if (target.id === own.id) throw permissionDenied("You can't change your own access level.");
  if (level === OWNER && own.level !== OWNER) {
    throw permissionDenied("You can only make another member owner if you're this organization's owner.");
  }
  if (level > own.level) {
    throw permissionDenied(
      "You can only change access level of others to lower or equal to your current one.",
    );
  }
}

function update(call: Call) {
  const { world } = call;
  const target = find(call);
  mayEdit(call, target);
  const { level } = validatePartial({ level: choice([1, 8, 15]) }, call.body());
  if (level !== undefined) maySetLevel(call, target, level);
  world.store.memberships.update(target, { level: level ?? target.level, updated_at: world.time });
  return ok(printMember(world, target));
}

/** People join by accepting an invite, so there is no POST, and a single member is read from the list only. */
export const memberRoutes: readonly Route[] = [
  { method: "GET", template: LIST, scope: "organization_member:read", handler: list },
  { method: "PATCH", template: ONE, scope: "organization_member:write", handler: update },
  { method: "PUT", template: ONE, scope: "organization_member:write", handler: update },
  {
    method: "DELETE",
    template: ONE,
    scope: "organization_member:write",
    handler: (call) => {
      const target = find(call);
      mayEdit(call, target);
      if (target.level === OWNER) throw invalid("Cannot leave the organization as its owner!");
      leave(call.world, target);
      return noContent;
    },
  },
];
