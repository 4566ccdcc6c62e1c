import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import { openStack, type Declared, type Stack } from "../support/stack";

/* The CLI is killed, and its provider goes on with what it was asked for. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

const SLOW_MS = 3000;
/** What was asked for together has been begun by then. */
const TOGETHER_MS = 500;
const domain: Declared = { class: "Domain", name: "main", args: { domain: "example.org" } };
const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };
const grace: Declared = { class: "Invite", name: "grace", args: { targetEmail: "grace@example.org" } };
const joan: Declared = { class: "TeamMember", name: "joan", args: { email: "joan@example.org" } };

test("what it has not begun by then it leaves to the next run", async () => {
  // It looks what is there before it makes something.
  for (const path of ["/dashboards/$", "/invites/$"]) emulator.faults.add(`GET ${path} slow=${SLOW_MS}`);
  const { dashboards, domains, invites } = emulator.store;
  stack.declare([domain, board, grace, joan]);
  const running = stack.start("up");
  while (domains.size === 0) await sleep(5);
  await sleep(TOGETHER_MS);
  running.kill();
  expect((await running.done).code).not.toBe(0);
  await sleep(2 * SLOW_MS);
  expect(writes(emulator).map(({ path }) => path)).toEqual([expect.stringContaining("/domains/")]);

  emulator.faults.clear();
  await stack.cancel();
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect(dashboards.filter(({ name }) => name === "Board")).toHaveLength(1);
  expect(
    invites
      .all()
      .map(({ target_email: email }) => email)
      .sort(),
  ).toEqual(["grace@example.org", "joan@example.org"]);
});
