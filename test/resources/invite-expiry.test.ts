import { provider } from "../../src/runtime";
import { closeAll, common, ORGANIZATION, page, serve, type Props } from "../engine/answering";
import { listen } from "../engine/provider";

/* Invites that are older than PostHog honours them, of a service that may honour its own for longer. */

afterEach(closeAll);

const ID = "0190c7aa-0000-0000-0000-0000000000b1";
const EMAIL = "ada@example.com";
const DAY_MS = 24 * 60 * 60 * 1000;
const aged = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** What the state holds of an invite of that age that was pending when it was last read, and what is declared. */
const KINDS: readonly (readonly [string, (createdAt: string) => Props, Props])[] = [
  [
    "Invite",
    (createdAt) => ({ targetEmail: EMAIL, renewExpired: true, status: "pending", createdAt }),
    { targetEmail: EMAIL, renewExpired: true },
  ],
  [
    "TeamMember",
    (createdAt) => ({ email: EMAIL, renewExpired: true, status: "pending", inviteId: ID, createdAt }),
    { email: EMAIL, renewExpired: true },
  ],
  [
    "InviteBatch",
    (createdAt) => ({
      invites: [{ targetEmail: EMAIL, renewExpired: true }],
      results: [{ targetEmail: EMAIL, status: "pending", inviteId: ID, createdAt }],
    }),
    { invites: [{ targetEmail: EMAIL, renewExpired: true }] },
  ],
];

async function differs(kind: string, stored: Props, wanted: Props): Promise<unknown> {
  const place = { organizationId: ORGANIZATION, ...common("ada") };
  const olds = { ...place, ...stored, __declared: Object.keys(wanted).sort() };
  const of = provider(kind);
  const { result } = await listen(async () => of.diff?.(ID, olds, { ...place, ...wanted }));
  return result?.changes;
}

describe.each(KINDS)("%s that was pending when it was last read", (kind, stored, wanted) => {
  test.each([
    ["5 days old and the service says that it has not expired", 5, { is_expired: false }, false],
    ["5 days old and the service says that it has", 5, { is_expired: true }, true],
    ["5 days old and the service does not say", 5, {}, true],
    ["5 days old and the service cannot be asked", 5, undefined, true],
  ])("%s", async (_, days, said, isRenewed) => {
    const live = { id: ID, target_email: EMAIL, level: 1, created_at: aged(days), ...said };
    await serve(() => (said === undefined ? { status: 403, json: {} } : page(live)));
    expect(await differs(kind, stored(aged(days)), wanted)).toBe(isRenewed);
  });

  test("young ones are not asked about", async () => {
    const server = await serve(() => page());
    expect(await differs(kind, stored(aged(2)), wanted)).toBe(false);
    expect(server.seen).toEqual([]);
  });
});
