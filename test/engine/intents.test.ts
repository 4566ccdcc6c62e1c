import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plan } from "../../src/engine/once/intent";
import { Intents } from "../../src/engine/once/intents";

const HOST = "https://us.posthog.com";

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "intents-"));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openFolder = (at = folder) => new Intents(join(at, "intents"), (line) => said.push(line));
const plan = (name: string, hash = name): Plan => ({
  stack: "organization/project/stack",
  kind: "Dashboard",
  name,
  host: HOST,
  path: "/api/projects/1/dashboards/",
  hash,
  traits: { name: hash },
  begun: Date.now(),
  until: Date.now() + 60_000,
  besides: [],
});
const every = () => true;

test("another process sees what was written, with the id as soon as it is known", async () => {
  const writer = openFolder();
  const a = await writer.add(plan("a"), true);
  await writer.add(plan("b"), true);
  await writer.learn(a, "12");
  const found = await openFolder().all(every);
  expect(found.map(({ plan: { name }, id }) => [name, id])).toEqual([
    ["a", "12"],
    ["b", undefined],
  ]);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
});

test("a line that a crash cut off counts as not written", async () => {
  const writer = openFolder();
  const intent = await writer.add(plan("a"), true);
  appendFileSync(intent.file?.path ?? "", `{"of":"${intent.plan.key}","id":"1`);
  writeFileSync(join(folder, "intents", "torn.jsonl"), '{"stack":"organization/pro');
  const found = await openFolder().all(every);
  expect(found.map(({ plan: { name }, id }) => [name, id])).toEqual([["a", undefined]]);
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  utimesSync(join(folder, "intents", "torn.jsonl"), longAgo, longAgo);
  await openFolder().all(every);
  expect(readdirSync(join(folder, "intents"))).not.toContain("torn.jsonl");
});

test("what the state holds is forgotten, except while a like creation is unexplained", async () => {
  const intents = openFolder();
  const known = await intents.add(plan("known", "same"), true);
  const unexplained = await intents.add(plan("unexplained", "same"), true);
  await intents.learn(known, "7");
  await intents.managed("Dashboard", HOST, "7");
  expect(await intents.all(({ id }) => id === "7")).toHaveLength(1);
  intents.drop(unexplained);
  await intents.managed("Organization", HOST, "7");
  await intents.managed("Dashboard", "https://eu.posthog.com", "7");
  expect(readdirSync(join(folder, "intents"))).toHaveLength(1);
  await intents.managed("Dashboard", HOST, "7");
  expect(readdirSync(join(folder, "intents"))).toEqual([]);
});

test("a process that gave up is not waited for, one that runs is", async () => {
  const intents = openFolder();
  const intent = await intents.add(plan("a"), true);
  const file = intent.file?.path ?? "";
  // Process 1 always runs; the intent says that it is the writer.
  writeFileSync(file, readFileSync(file, "utf8").replace(`"pid":${process.pid}`, '"pid":1'));
  const [running] = await openFolder().all(every);
  expect(running?.isBeingDone).toBe(true);
  appendFileSync(file, `{"of":"${intent.plan.key}","over":true}\n`);
  const [over] = await openFolder().all(every);
  expect(over?.isBeingDone).toBe(false);
});

test("a folder that cannot be written is told once and fails nothing", async () => {
  writeFileSync(join(folder, "taken"), "a file where the folder should be");
  const intents = openFolder(join(folder, "taken"));
  const intent = await intents.add(plan("a"), true);
  await intents.add(plan("b"), true);
  await intents.learn(intent, "1");
  intents.drop(intent);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("cannot be written");
  expect(said[0]).toContain(".pulumi-posthog/intents");
});

test("without a stack nothing is written", async () => {
  await openFolder().add(plan("a"), false);
  expect(readdirSync(folder)).toEqual([]);
});

test("intents that are written side by side all reach the disk, and one that is dropped stays dropped", async () => {
  const intents = openFolder();
  const names = Array.from({ length: 50 }, (_, index) => `board-${index}`);
  const added = await Promise.all(names.map((name) => intents.add(plan(name), true)));
  await Promise.all(added.map((intent, index) => intents.learn(intent, String(index))));
  expect(readdirSync(join(folder, "intents"))).toHaveLength(1);

  // Another process: the state holds all but the last two.
  const other = openFolder();
  const seen = new Map((await other.all(every)).map(({ plan: { name }, id }) => [name, id]));
  expect(seen).toEqual(new Map(names.map((name, index) => [name, String(index)])));
  for (let id = 0; id < 48; id++) await other.managed("Dashboard", HOST, String(id));
  expect((await openFolder().all(every)).map(({ id }) => id).sort()).toEqual(["48", "49"]);
  for (const id of ["48", "49"]) await other.managed("Dashboard", HOST, id);
  expect(readdirSync(join(folder, "intents"))).toEqual([]);
});

test("what a process at work adds to its file stays, whatever of the rest is settled", async () => {
  const atWork = openFolder();
  const early = await atWork.add(plan("early"), true);
  const other = openFolder();
  const seen = await other.all(every);
  await atWork.add(plan("late"), true);
  for (const intent of seen) other.drop(intent);
  expect((await openFolder().all(every)).map(({ plan: { name } }) => name)).toEqual(["late"]);
  // It learns nothing of that, and goes on.
  await atWork.learn(early, "1");
  await atWork.add(plan("later"), true);
  expect((await openFolder().all(every)).map(({ plan: { name } }) => name)).toEqual(["late", "later"]);
});

test("what becomes known after a line that was cut off is understood", async () => {
  const writer = openFolder();
  const intent = await writer.add(plan("a"), true);
  appendFileSync(intent.file?.path ?? "", '{"key":"cut o');
  const [found] = await openFolder().all(every);
  if (found !== undefined) await openFolder().learn(found, "9");
  expect((await openFolder().all(every)).map(({ id }) => id)).toEqual(["9"]);
});
