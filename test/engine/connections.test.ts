import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeConnections } from "../../src/client/transport";
import { Intents } from "../../src/engine/once/intents";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configure, listen } from "./provider";

/* One process works for several services, and with several keys of one. */

const HOST = ["host"];
const SETTINGS = ["host", "projectId", "organizationId"];
const CWD = process.cwd();
let folder: string;
let us: Emulator;
let eu: Emulator;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "connections-"));
  process.chdir(folder);
  [us, eu] = [await startEmulator(), await startEmulator({ seed: 2 })];
  const entry = ({ environment }: Emulator) => ({
    host: environment.POSTHOG_HOST,
    apiKey: environment.POSTHOG_API_KEY,
  });
  const scoped = { ...entry(us), apiKey: us.createKey({ scopes: ["*"] }) };
  configure({ "posthog:connections": JSON.stringify({ us: entry(us), eu: entry(eu), scoped }) });
});
afterEach(async () => {
  process.chdir(CWD);
  await closeConnections();
  await Promise.all([us.close(), eu.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const board = (connection: string, stack: string) => ({
  projectId: "1",
  name: "Board",
  connection,
  [HIDDEN.name]: `board in ${stack}`,
  [HIDDEN.stack]: stack,
  [HIDDEN.provider]: "text",
});
const written = () =>
  new Intents(join(folder, ".pulumi-posthog", "intents"), () => undefined).all(() => true);

test("what a run has made before it was killed is known until the state of its own service has it", async () => {
  const made = await provider("Dashboard").create(board("us", "dev"));
  const other = await provider("Dashboard").create(board("eu", "prod"));
  expect(other.id).toBe(made.id);
  const intentsOf = async () => (await written()).map(({ plan: { stack }, id }) => [stack, id]);
  expect(await intentsOf()).toEqual([
    ["dev", made.id],
    ["prod", made.id],
  ]);
  await provider("Dashboard").read?.(other.id, other.outs);
  expect(await intentsOf()).toEqual([["dev", made.id]]);
  await provider("Dashboard").diff?.(made.id, made.outs ?? {}, board("us", "dev"));
  expect(await intentsOf()).toEqual([]);
});

const domain = (connection: string) => ({
  connection,
  domain: "a.example",
  organizationId: "@current",
  [HIDDEN.name]: connection,
  [HIDDEN.provider]: "text",
});

test("@current stays what it was for every key of a person, also where another one makes an organization", async () => {
  const { POSTHOG_ORGANIZATION_ID: before } = us.environment;
  await provider("Organization").create({ name: "Made", connection: "us", [HIDDEN.name]: "made" });
  const { inputs } = (await provider("Domain").check?.({}, domain("scoped"))) ?? {};
  expect(inputs).toMatchObject({ organizationId: before });
});

test("of each service it is told that @current has moved", async () => {
  const pinned = "018f0000-0000-7000-8000-000000000000";
  const { said } = await listen(async () => {
    for (const connection of ["us", "eu", "us"]) {
      const news = domain(connection);
      const olds = { ...news, organizationId: pinned, [HIDDEN.organization]: "@current" };
      await provider("Domain").check?.(olds, news);
    }
  });
  expect(said).toEqual(
    [us, eu].map(({ environment: { POSTHOG_ORGANIZATION_ID: now } }) =>
      expect.stringContaining(`@current is now organization ${now}; what was made in ${pinned} stays there.`),
    ),
  );
});

test.each<[string, (kind: ReturnType<typeof provider>) => Promise<unknown> | undefined, string[]]>([
  [
    "is gone with its project",
    (kind) => kind.read?.("1", { ...board("eu", ""), projectId: "999" }),
    SETTINGS,
  ],
  [
    "was made elsewhere",
    (kind) => kind.read?.("999", { ...board("eu", ""), [HIDDEN.host]: "http://a" }),
    HOST,
  ],
  ["is not there to be adopted", (kind) => kind.create({ ...board("eu", ""), adoptId: "999" }), HOST],
])("what %s is looked for in the settings of its own connection", async (_, act, settings) => {
  const [said] = await Promise.allSettled([act(provider("Dashboard"))]);
  const message = said.status === "rejected" ? String(said.reason.message) : "it did not fail";
  for (const name of settings) expect(message).toContain(`posthog:connections.eu.${name}`);
  expect(message).not.toMatch(/posthog:(?!connections\.eu\.)/);
});
