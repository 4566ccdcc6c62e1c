import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Emulator, startEmulator } from "../support/emulator";
import { openStack, type Declared, type Stack } from "../support/stack";

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

const domain = (args = {}): Declared => ({
  class: "Domain",
  name: "main",
  args: { domain: "example.org", ...args },
});
const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };
const boards = () => emulator.store.dashboards.filter(({ name }) => name === "Board");

test("without what the killed run wrote down nothing is taken over, and the person reads how to do so", async () => {
  const { domains } = emulator.store;
  stack.declare([domain(), board]);
  // Made, but no answer comes, and whoever looks for it has to wait: time to be killed in.
  const lost = (path: string) => `POST ${path} reset-after x1; GET ${path} slow=60000`;
  // The look before each is let through.
  for (const path of ["/domains/$", "/dashboards/$"])
    emulator.faults.add(`GET ${path} slow=1 x1; ${lost(path)}`);
  const running = stack.start("up");
  let over = false;
  const ended = running.done.finally(() => (over = true));
  const isOver = (): boolean => over;
  while (!isOver() && (domains.size === 0 || boards().length === 0)) await sleep(2);
  running.killAll();
  expect((await ended).code).not.toBe(0);
  await stack.cancel();
  emulator.faults.clear();
  // Another machine: the state is there, the program's folder is as it came from the repository.
  rmSync(join(stack.folder, ".pulumi-posthog"), { recursive: true });

  const up = await stack.up();
  expect(up.code).not.toBe(0);
  expect(up.output).toMatch(/pending operations/);
  expect(up.errors).toMatch(/creating Domain "main".*already exists.*adoptId/s);
  expect(up.output).not.toContain("took over");
  expect(domains.size).toBe(1);

  const [theirs] = domains.all();
  stack.declare([domain({ adoptId: theirs?.id }), board]);
  const adopted = await stack.up();
  expect(adopted.errors).toBe("");
  expect(domains.size).toBe(1);
  // A kind without a name of its own exists twice then, as the README says.
  expect(boards()).toHaveLength(2);
});
