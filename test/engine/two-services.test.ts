import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeConnections } from "../../src/client/transport";
import { Intents } from "../../src/engine/once/intents";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configure } from "./provider";

/* Two services count their objects each for itself: the same id is another object there. */

const CWD = process.cwd();
let folder: string;
let us: Emulator;
let eu: Emulator;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "two-services-"));
  process.chdir(folder);
  [us, eu] = [await startEmulator(), await startEmulator()];
  const entry = ({ environment }: Emulator) => ({
    host: environment.POSTHOG_HOST,
    apiKey: environment.POSTHOG_API_KEY,
  });
  configure({ "posthog:connections": JSON.stringify({ us: entry(us), eu: entry(eu) }) });
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
