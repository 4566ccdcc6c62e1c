import { setTimeout as sleep } from "node:timers/promises";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configureFor } from "./provider";

let emulator: Emulator;
beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(async () => {
  jest.restoreAllMocks();
  await emulator.close();
});

async function open(options: Parameters<typeof startEmulator>[0] = {}): Promise<void> {
  emulator = await startEmulator(options);
  configureFor(emulator);
}

type Props = Record<string, unknown>;

/** Creates a resource as the engine would once it is checked. */
async function create(kind: string, name: string, args: Props): Promise<string> {
  const { POSTHOG_PROJECT_ID: projectId, POSTHOG_ORGANIZATION_ID: organizationId } = emulator.environment;
  const scope = kind === "Dashboard" ? { projectId } : kind === "Organization" ? {} : { organizationId };
  return (await provider(kind).create({ ...scope, ...args, __resource: name })).id;
}

/** Makes something as somebody else would. */
async function post(path: string, body: Props): Promise<void> {
  const answer = await fetch(new URL(path, emulator.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
}

const made = (name: string) => emulator.store.dashboards.filter((row) => row.name === name && !row.deleted);

/** Somebody else's dashboard that says the same, made so long ago. */
function someoneElses(name: string, ageMs: number, now = Date.now()): number {
  const [model] = emulator.store.dashboards.all();
  if (!model) throw new Error("there is no dashboard to copy");
  const created_at = new Date(now - ageMs).toISOString();
  return emulator.store.dashboards.insert({
    ...model,
    id: emulator.store.dashboards.nextId(),
    name,
    created_at,
  }).id;
}

test.each(["reset-after", "truncate", "500-after", "reset-before x3", "503 x3"])(
  "resources that say the same get an object each, though every answer is lost: %s",
  async (fault) => {
    await open();
    emulator.faults.add(`POST /dashboards/$ ${fault}`);
    const ids = await Promise.all(
      ["a", "b", "c", "d"].map((name) => create("Dashboard", name, { name: `Twin ${fault}` })),
    );
    expect(new Set(ids).size).toBe(4);
    expect(
      made(`Twin ${fault}`)
        .map(({ id }) => String(id))
        .sort(),
    ).toEqual([...ids].sort());
  },
);

test("one that says less does not take what one that says more has made", async () => {
  await open();
  emulator.faults.add("POST /dashboards/$ 500 x1; POST /dashboards/$ reset-after x1");
  const less = create("Dashboard", "less", { name: "Same name" });
  const more = create("Dashboard", "more", { name: "Same name", description: "and more" });
  const [lessId, moreId] = await Promise.all([less, more]);
  const described = made("Same name").find(({ description }) => description === "and more");
  expect(String(described?.id)).toBe(moreId);
  expect(made("Same name")).toHaveLength(2);
  expect(lessId).not.toBe(moreId);
});

test.each([0, 3_600_000, -3_600_000])(
  "an older one of somebody else is left alone, whatever our clock says (service ahead by %d ms)",
  async (ahead) => {
    const now = () => new Date(Date.now() + ahead);
    await open({ now });
    await post("/api/projects/1/dashboards/", { name: "model" });
    const theirs = someoneElses("Weekly", 10 * 60_000, now().getTime());
    emulator.faults.add("POST /dashboards/$ 500 x1");
    const first = await create("Dashboard", "first", { name: "Weekly" });
    emulator.faults.add("POST /dashboards/$ reset-after x1");
    const second = await create("Dashboard", "second", { name: "Weekly" });
    expect(
      made("Weekly")
        .map(({ id }) => String(id))
        .sort(),
    ).toEqual([String(theirs), first, second].sort());
    expect(new Set([String(theirs), first, second]).size).toBe(3);
  },
);

test("where somebody else makes the same at the same time, both are named and nothing is made again", async () => {
  await open();
  await create("Dashboard", "model", { name: "model" });
  emulator.faults.add("POST /dashboards/$ reset-after x1; GET /dashboards/$ slow=400");
  const lost = create("Dashboard", "mine", { name: "Contested" });
  const outcome = lost.then(
    () => "made",
    (error: unknown) => String(error instanceof Error ? error.message : error),
  );
  while (made("Contested").length === 0) await sleep(5);
  const other = someoneElses("Contested", 0);
  const mine = made("Contested").find(({ id }) => id !== other);
  const message = await outcome;
  expect(message).toContain(String(other));
  expect(message).toContain(String(mine?.id));
  expect(message).toContain('creating Dashboard "mine"');
  expect(message).toContain("adoptId");
  expect(made("Contested")).toHaveLength(2);
});

test("a kind without a creation time is told from what was there before", async () => {
  await open();
  const app = { pluginType: "source", name: "Banner" };
  const path = `/api/organizations/${emulator.environment.POSTHOG_ORGANIZATION_ID}/pipeline_frontend_apps/`;
  await post(path, { plugin_type: "source", name: "Banner" });
  emulator.faults.add("POST /pipeline_ 500 x1; POST /pipeline_ truncate x2");
  const ids = await Promise.all([create("FrontendApp", "a", app), create("FrontendApp", "b", app)]);
  expect(emulator.store.plugins.size).toBe(3);
  const [theirs] = emulator.store.plugins.all();
  expect(new Set([...ids, String(theirs?.id)]).size).toBe(3);
});

test("a service that goes on failing is not asked without end, and what it may have made is not made twice", async () => {
  await open();
  emulator.faults.add("POST /api/organizations/ 503");
  await expect(create("Organization", "never", { name: "Never" })).rejects.toThrow("503");
  const posts = emulator.requests.filter(({ method }) => method === "POST");
  expect(posts.length).toBeLessThanOrEqual(4);
});
