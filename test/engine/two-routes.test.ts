import { closeConnections } from "../../src/client/transport";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configureFor, listen } from "./provider";

/* An export is one object, whether it is reached by way of its organization or of its project. */

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
  configureFor(emulator);
});
afterEach(async () => {
  await closeConnections();
  await emulator.close();
});

const kind = () => provider("BatchExport");
const lake = (name: string, place: object) => ({
  name: "Lake",
  interval: "hour",
  destination: { type: "NoOp", config: {} },
  ...place,
  [HIDDEN.name]: name,
  [HIDDEN.provider]: "text",
});

test("who adopts it by the other route is told that another resource manages it", async () => {
  const { POSTHOG_ORGANIZATION_ID: organizationId, POSTHOG_PROJECT_ID: projectId } = emulator.environment;
  const before = lake("before", { organizationId });
  const { id, outs = {} } = await kind().create(before);
  await kind().read?.(id, outs);
  await expect(kind().create(lake("after", { projectId, adoptId: id }))).rejects.toThrow(
    /another resource of this stack, "before", already manages it/,
  );
});

test("of two resources that manage it by both routes the one that is taken out is released", async () => {
  const { POSTHOG_ORGANIZATION_ID: organizationId, POSTHOG_PROJECT_ID: projectId } = emulator.environment;
  const one = lake("one", { organizationId });
  const { id, outs = {} } = await kind().create(one);
  const { said } = await listen(async () => {
    await kind().check?.(one, one);
    await kind().diff?.(id, outs, one);
    const other = lake("other", { projectId });
    await kind().delete?.(id, { ...outs, ...other, organizationId: undefined });
  });
  expect(said.join()).toContain('released from the state and not deleted, since "one" manages it as well');
  expect(emulator.store.batchExports.all().map((row) => row.id)).toEqual([id]);
});
