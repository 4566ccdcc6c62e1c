import { setTimeout as sleep } from "node:timers/promises";
import type { Declared } from "../support/stack";
import { KilledRuns } from "./killed-runs";

/* The provider dies as invites have been sent: nobody gets a second one, and nobody keeps one too many. */
let runs: KilledRuns;
beforeEach(async () => {
  runs = await KilledRuns.open();
});
afterEach(() => runs.close());

const batch = (...invites: (readonly [string, string])[]): Declared => ({
  class: "InviteBatch",
  name: "team",
  args: { invites: invites.map(([who, level]) => ({ targetEmail: `${who}@example.org`, level })) },
});
const invited = (): string[] =>
  runs.emulator.store.invites
    .all()
    .map(({ target_email: email, level }) => `${email.split("@")[0] ?? ""} ${String(level)}`)
    .sort();

test("a batch of invites that was sent is not sent again", async () => {
  const program = [batch(["ada", "member"], ["grace", "admin"])];
  await runs.dieWhen(program, () => runs.emulator.store.invites.size === 2);
  const ids = runs.emulator.store.invites.all().map(({ id }) => id);
  await runs.heal(program);
  expect(runs.emulator.store.invites.all().map(({ id }) => id)).toEqual(ids);
});

test("of a batch that was sent and then edited, nobody has two invites and nobody one too many", async () => {
  await runs.dieWhen(
    [batch(["ada", "member"], ["grace", "admin"], ["joan", "member"])],
    () => runs.emulator.store.invites.size === 3,
  );
  await runs.heal([batch(["ada", "admin"], ["joan", "member"], ["mary", "member"])]);
  expect(invited()).toEqual(["ada 8", "joan 1", "mary 1"]);
});

test("an invite that somebody else sent to the same address stays", async () => {
  runs.emulator.store.invites.insert({
    id: "00000000-0000-4000-8000-000000000001",
    organization_id: runs.emulator.environment.POSTHOG_ORGANIZATION_ID,
    target_email: "grace@example.org",
    first_name: "",
    emailing_attempt_made: true,
    level: 15,
    created_by_id: null,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    message: null,
    private_project_access: [],
    expired: false,
  });
  await runs.dieWhen(
    [batch(["ada", "member"], ["grace", "admin"])],
    () => runs.emulator.store.invites.size === 3,
  );
  await runs.heal([batch(["ada", "member"])]);
  expect(invited()).toEqual(["ada 1", "grace 15"]);
});

test("who was being invited anew by another resource has one invite afterwards", async () => {
  const both = batch(["ada", "member"], ["grace", "member"]);
  await runs.heal([both]);
  const grace: Declared = {
    class: "TeamMember",
    name: "grace",
    args: { email: "grace@example.org", level: "admin" },
  };
  // The batch's own invite to her is taken back only after the run has died.
  const without: Declared = { ...batch(["ada", "member"]), opts: { dependsOn: ["grace"] } };
  await runs.dieWhen([grace, without], () => invited().includes("grace 8"));
  expect(invited()).toEqual(["ada 1", "grace 1", "grace 8"]);
  await runs.heal([grace, without]);
  expect(invited()).toEqual(["ada 1", "grace 8"]);
});

test("an update of a batch that was taken back in the program is taken back at the service", async () => {
  const before = [batch(["ada", "member"])];
  await runs.heal(before);
  await runs.dieWhen([batch(["ada", "member"], ["grace", "member"])], () => invited().includes("grace 1"));
  await runs.heal(before);
  expect(invited()).toEqual(["ada 1"]);
});

test("what an update of a batch has sent is taken back where it is not wanted any more, though its answer had come", async () => {
  await runs.heal([batch(["ada", "member"])]);
  const { driver, emulator } = runs;
  const { code } = await driver.run("up", [batch(["ada", "member"], ["grace", "member"])], async (child) => {
    // The list is read once the answer is written down, and before the state is.
    emulator.store.onChange(() => void emulator.faults.add("GET /invites/$ slow=3000"));
    while (!invited().includes("grace 1")) await sleep(5);
    await sleep(500);
    child.kill("SIGKILL");
  });
  expect(code).toBeNull();
  emulator.store.onChange(() => undefined);
  emulator.faults.clear();
  await runs.heal([batch(["ada", "member"], ["joan", "member"])]);
  expect(invited()).toEqual(["ada 1", "joan 1"]);
});

test("invites that the service makes only after the next run has begun are not sent again", async () => {
  const invite: Declared = { class: "Invite", name: "grace", args: { targetEmail: "grace@example.org" } };
  const member = (level: string): Declared => ({
    class: "TeamMember",
    name: "joan",
    args: { email: "joan@example.org", level },
  });
  const slow = (times: number) => void runs.emulator.faults.add(`POST /invites/$ slow=3000 x${times}`);
  slow(2);
  await runs.dieOnceSent([invite, member("member")], ["/invites/", "/members/invites/"]);
  expect(invited()).toEqual([]);
  await runs.heal([invite, member("member")]);
  await sleep(3000);
  expect(invited()).toEqual(["grace 1", "joan 1"]);

  slow(1);
  await runs.dieOnceSent([invite, member("admin")], ["/members/invites/"]);
  expect(invited()).toEqual(["grace 1"]);
  await runs.heal([invite, member("admin")]);
  await sleep(3000);
  expect(invited()).toEqual(["grace 1", "joan 8"]);
});
