import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declared } from "../support/stack";
import { changes, Scene } from "../resources/scene";

/*
 * A replacement that is cut off leaves two entries of one resource in the state, and the next run removes the old one:
 * what the new one has, too, stays.
 */

const PATIENCE_MS = 150_000;
const SETTLED_MS = 1000;
/** Longer than any test: what is answered to nobody any more would come to be in the middle of a later run. */
const SLOW = "POST /dashboards/$ slow=3600000";

const states = z.object({
  checkpoint: z.object({
    latest: z.object({
      pending_operations: z.array(z.object({ resource: z.object({ urn: z.string() }) })).nullish(),
    }),
  }),
});

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open();
  for (const name of ["ada", "tim", "eve"]) scene.emulator.addMember({ email: addressOf(name), level: 8 });
});
afterEach(() => scene.close());

const addressOf = (name: string) => `${name}@people.example`;
const uuidOf = (name: string) =>
  scene.emulator.store.users.find(({ email }) => email === addressOf(name))?.uuid ?? "";
const urn = (kind: string, name: string) =>
  `urn:pulumi:test::posthog-test::pulumi-nodejs:dynamic/posthog:${kind}::${name}`;
const member = (who: Record<string, unknown>, name = "person"): Declared => ({
  class: "Member",
  name,
  args: { ...who, level: "admin" },
});
/** Removals wait for whatever is made: this takes long to be made. */
const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };

/** Who belongs, and who is invited. */
function people(): string[] {
  const { memberships, users, invites } = scene.emulator.store;
  const members = [...memberships.all()].map((one) => users.require(one.user_id).email);
  const invited = [...invites.all()].map((one) => `${one.target_email} (invited ${one.id})`);
  return [...members, ...invited].filter((one) => one.includes("@people.example")).sort();
}

/** Entries of the state that are still to be removed. */
async function leftovers(): Promise<number> {
  return (await scene.stack.stateFile()).match(/"delete": ?true/g)?.length ?? 0;
}

/** Resources of which the state says that something is being done to them. */
async function underWay(): Promise<string[]> {
  const text = await scene.stack.stateFile();
  try {
    const { checkpoint } = states.parse(JSON.parse(text));
    return (checkpoint.latest.pending_operations ?? []).map(
      ({ resource }) => resource.urn.split("::").at(-1) ?? "",
    );
  } catch {
    return []; // it is being written
  }
}

/** Runs `up` until so many resources are replaced and none of the old ones is removed, and kills it there. */
async function cutOff(replacements: number, flags = {}): Promise<void> {
  scene.emulator.faults.add(SLOW);
  const run = scene.stack.start("up", flags);
  const patience = Date.now() + PATIENCE_MS;
  const isThere = async (): Promise<boolean> =>
    (await leftovers()) === replacements && (await underWay()).join() === "board";
  while (!(await isThere()) && Date.now() < patience) await sleep(50);
  // What is being written when the power goes is another matter: test/faults/crash.test.ts.
  await sleep(SETTLED_MS);
  run.killAll();
  await run.done;
  await scene.stack.cancel();
  scene.emulator.faults.clear();
  expect(await leftovers()).toBe(replacements);
}

test.each([false, true])(
  "people and invites stay where a replacement by themselves was cut off (refresh: %s)",
  async (refresh) => {
    const program: Declared[] = [
      member({ email: addressOf("ada") }),
      { class: "TeamMember", name: "tim", args: { email: addressOf("tim"), level: "admin" } },
      { class: "TeamMember", name: "bob", args: { email: addressOf("bob") } },
      { class: "InviteBatch", name: "batch", args: { invites: [{ targetEmail: addressOf("carl") }] } },
    ];
    await scene.up(program);
    const there = people();
    scene.stack.declare([...program, board]);
    const replace = [urn("Member", "person"), urn("TeamMember", "tim"), urn("TeamMember", "bob")];
    await cutOff(4, { replace: [...replace, urn("InviteBatch", "batch")] });
    expect((await scene.again({ refresh })).errors).toBe("");
    expect([people(), await leftovers()]).toEqual([there, 0]);
    await scene.expectNothingToDo();
    await scene.run((stack) => stack.destroy());
    expect(people()).toEqual([addressOf("eve")]);
  },
);

test("whom another person replaces is removed, also by the run after the one that was cut off", async () => {
  await scene.up([member({ email: addressOf("ada") })]);
  scene.stack.declare([member({ email: addressOf("tim") }), board]);
  await cutOff(1);
  expect((await scene.again()).errors).toBe("");
  expect([people(), await leftovers()]).toEqual([[addressOf("eve"), addressOf("tim")], 0]);
  await scene.expectNothingToDo();
});

test("who goes from one resource to another stays, also where only one of the two was replaced", async () => {
  const [first, second] = [(who: string) => member({ email: addressOf(who) }, "first"), "second"];
  await scene.up([first("ada"), member({ email: addressOf("tim") }, second)]);
  const waiting = { ...member({ email: addressOf("eve") }, second), opts: { dependsOn: ["board"] } };
  scene.stack.declare([first("tim"), board, waiting]);
  await cutOff(1);
  expect((await scene.again()).errors).toBe("");
  expect([people(), await leftovers()]).toEqual([[addressOf("eve"), addressOf("tim")], 0]);
  await scene.expectNothingToDo();
});

test("a person who is named in another way is nobody else", async () => {
  await scene.up([member({ email: addressOf("ada") })]);
  for (const who of [{ userUuid: uuidOf("ada") }, { email: addressOf("Ada") }]) {
    const run = await scene.up([member(who)]);
    expect([changes(run), scene.sent()]).toEqual([["update person"], []]);
    await scene.expectNothingToDo();
    expect(await scene.outputs("person")).toMatchObject({ ...who, level: 8 });
  }
  await scene.up([member({ userUuid: uuidOf("tim") })]);
  expect(people()).toEqual([addressOf("eve"), addressOf("tim")]);
});

test("who is replaced on demand stays", async () => {
  await scene.up([member({ email: addressOf("ada") })]);
  const forced = await scene.run((stack) => stack.up({ replace: [urn("Member", "person")] }));
  expect(changes(forced).join()).toContain("replace person");
  expect(people()).toEqual(["ada", "eve", "tim"].map(addressOf));
  await scene.expectNothingToDo();
});
