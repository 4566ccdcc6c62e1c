import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeConnections } from "../../src/client/transport";
import { Intents } from "../../src/engine/once/intents";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configure, listen } from "./provider";

/* Below components of different types two resources of a kind may have one name: neither is taken for the other. */

const CWD = process.cwd();
let folder: string;
let emulator: Emulator;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "same-names-"));
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(CWD);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  emulator = await startEmulator({ projects: 2 });
  const { POSTHOG_HOST, POSTHOG_API_KEY } = emulator.environment;
  configure({ "posthog:host": POSTHOG_HOST, "posthog:apiKey": POSTHOG_API_KEY });
});
afterEach(async () => {
  await closeConnections();
  await emulator.close();
});

const kind = () => provider("Dashboard");
const board = (projectId: string, name: string) => ({
  projectId,
  name,
  [HIDDEN.name]: "shop",
  [HIDDEN.stack]: "organization/project/stack",
  [HIDDEN.provider]: "text",
});

test.each([
  ["in one project", "1"],
  ["in two projects", "2"],
])(
  "what is made %s, at once or one after the other, is nothing that an interrupted run has left",
  async (_, other) => {
    const { result, said } = await listen(async () => {
      const both = await Promise.all([kind().create(board("1", "Web")), kind().create(board(other, "Shop"))]);
      return [...both, await kind().create(board(other, "Third"))];
    });
    expect(said).toEqual([]);
    const intents = new Intents(join(folder, ".pulumi-posthog", "intents"), () => undefined);
    const written = await intents.all(({ plan }) => plan.host === emulator.url);
    expect(new Set(written.map(({ id }) => id))).toEqual(new Set(result.map(({ id }) => id)));
  },
);

test("what one of them has asked for is no reason not to ask for the other's", async () => {
  const organizationId = emulator.environment.POSTHOG_ORGANIZATION_ID;
  const exported = await provider("BatchExport").create({
    organizationId,
    name: "Lake",
    interval: "hour",
    destination: { type: "NoOp", config: {} },
  });
  const backfill = () =>
    provider("BatchExportBackfill").create({
      ...board("1", ""),
      projectId: undefined,
      organizationId,
      batchExportId: exported.id,
      startAt: "2026-01-01T00:00:00Z",
      endAt: "2026-01-01T03:00:00Z",
    });
  const { said } = await listen(async () => [await backfill(), await backfill()]);
  expect(said).toEqual([]);
  expect(emulator.requests.filter(({ path }) => path.endsWith("/backfill/"))).toHaveLength(2);
});

test("an update that was cut off is sent again, whatever became of the other's", async () => {
  const [web, shop] = [await kind().create(board("1", "Web")), await kind().create(board("1", "Shop"))];
  const update = (one: typeof web, name: string) => kind().update?.(one.id, one.outs ?? {}, board("1", name));
  emulator.faults.add(`PATCH /dashboards/${web.id}/$ 501-after`);
  await expect(update(web, "Renamed")).rejects.toThrow(/answered 501/);
  const { outs } = (await update(shop, "Renamed, too")) ?? {};
  const changes = async (one: { id: string; outs?: object }, name: string) =>
    (await kind().diff?.(one.id, { ...one.outs }, board("1", name)))?.changes;
  const { said } = await listen(async () => {
    expect(await changes({ id: shop.id, outs }, "Renamed, too")).toBe(false);
    expect(await changes(web, "Web")).toBe(true);
  });
  expect(said).toEqual([
    `Dashboard "shop" (${web.id}): an interrupted run may have changed name: sent again`,
  ]);
});
