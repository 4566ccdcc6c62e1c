import { randomUUID } from "node:crypto";
import { provider } from "../../src/runtime";
import { HIDDEN } from "../../src/engine/state/state";
import { type Emulator, startEmulator } from "../support/emulator";
import { closeAll, common, ORGANIZATION, page, serve, type Props } from "./answering";
import { configureFor } from "./provider";

/* Actions whose answers get lost: what a look at the object tells, and what may be asked for twice, is not left undone. */

let emulator: Emulator | undefined;
beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(async () => {
  jest.restoreAllMocks();
  await emulator?.close();
  emulator = undefined;
  await closeAll();
});

async function open(): Promise<Emulator> {
  emulator = await startEmulator();
  configureFor(emulator);
  return emulator;
}

const LOST = ["reset-after", "500-after", "504-after", "truncate", "408-after"];
const NOT_DONE = ["reset-before", "503", "html"];

function lake({ environment }: Emulator, args: Props = {}): Props {
  return {
    ...common("lake"),
    organizationId: environment.POSTHOG_ORGANIZATION_ID,
    name: "Lake",
    interval: "hour",
    destination: { type: "HTTP", config: { url: "https://example.com", token: "t" } },
    ...args,
  };
}

const posts = (to: Emulator, action: string) =>
  to.requests.filter(({ method, path }) => method === "POST" && path.endsWith(`/${action}/`)).length;
const paused = (of: Emulator) => of.store.batchExports.all().map((row) => row.paused);

describe.each([
  ["done and not answered", LOST, 1],
  ["not done", NOT_DONE, 2],
] as const)("an action that was %s", (_, faults, sent) => {
  test.each(faults)("does not leave a new export half done: %s", async (fault) => {
    const at = await open();
    at.faults.add(`POST /pause/$ ${fault} x1`);
    const { outs } = await provider("BatchExport").create(lake(at, { paused: true }));
    expect(outs).toMatchObject({ paused: true });
    expect(paused(at)).toEqual([true]);
    // It was asked for as paused: that it says so is no sign of the action, which may be done twice.
    expect(posts(at, "pause")).toBe(2);
  });

  test.each(faults)("does not leave an update half done: %s", async (fault) => {
    const at = await open();
    const { create, update } = provider("BatchExport");
    const olds = lake(at, { paused: true });
    const made = await create.call(provider("BatchExport"), olds);
    at.faults.add(`POST /unpause/$ ${fault} x1`);
    const changed = await update?.call(
      provider("BatchExport"),
      made.id,
      { ...made.outs, [HIDDEN.provider]: "text" },
      lake(at, { paused: false, name: "Renamed" }),
    );
    expect(changed?.outs).toMatchObject({ paused: false, name: "Renamed" });
    expect(paused(at)).toEqual([false]);
    expect(posts(at, "unpause")).toBe(sent);
  });
});

test("an action that fails all the time is half done after a few tries", async () => {
  const at = await open();
  at.faults.add("POST /pause/$ 500");
  await expect(provider("BatchExport").create(lake(at, { paused: true }))).rejects.toMatchObject({
    reasons: [expect.stringContaining("answered 500")],
  });
  expect(posts(at, "pause")).toBe(4);
});

test("an action that is refused is not asked for again", async () => {
  const at = await open();
  at.faults.add("POST /pause/$ 409");
  await expect(provider("BatchExport").create(lake(at, { paused: true }))).rejects.toMatchObject({
    reasons: [expect.stringContaining("answered 409")],
  });
  expect(posts(at, "pause")).toBe(1);
});

test("what comes late of a lost action, and makes the next one be refused, is done", async () => {
  const row = { id: "0190c7aa-0000-0000-0000-0000000000e1", name: "Lake", interval: "hour" };
  let asked = 0;
  await serve(({ method, path }) => {
    if (method === "GET") return { json: { ...row, paused: asked > 1 } };
    if (path.endsWith("/batch_exports/")) return { status: 201, json: { ...row, paused: false } };
    return ++asked === 1 ? { status: 504, json: {} } : { status: 409, json: { detail: "paused already" } };
  });
  const args = {
    ...common("lake"),
    organizationId: ORGANIZATION,
    name: "Lake",
    interval: "hour",
    paused: true,
    destination: { type: "HTTP", config: {} },
  };
  const { outs } = await provider("BatchExport").create(args);
  expect(outs).toMatchObject({ paused: true });
  expect(asked).toBe(2);
});

test.each(LOST)("a verification whose answer is lost is seen at once: %s", async (fault) => {
  const at = await open();
  const organizationId = at.environment.POSTHOG_ORGANIZATION_ID;
  const domain = { ...common("main"), organizationId, domain: "example.com" };
  const { id } = await provider("Domain").create(domain);
  const [row] = at.store.domains.all();
  at.setDns("_posthog-challenge.example.com", row?.verification_challenge ?? "");
  at.faults.add(`POST /verify/$ ${fault} x1`);
  const proof = { ...common("proof"), organizationId, domainId: id, timeoutSeconds: 0 };
  const { outs } = await provider("DomainVerification").create(proof);
  expect(outs).toMatchObject({ isVerified: true });
  expect(posts(at, "verify")).toBe(1);
});

test("invites that come to be a moment after their answer was lost are not sent twice", async () => {
  const late: Props[] = [];
  let sent = Infinity;
  const server = await serve(({ method, path }, body) => {
    if (method === "POST") {
      sent = Date.now();
      late.push(
        ...[body].flat().map((one) => ({ ...one, id: randomUUID(), created_at: new Date().toISOString() })),
      );
      return { status: 504, json: { detail: "Gateway timeout." } };
    }
    const isThere = Date.now() - sent >= 250 && path.includes("/invites/");
    return isThere ? page(...late) : page();
  });
  const invites = ["ada", "bob"].map((name) => ({ targetEmail: `${name}@example.com`, level: 1 }));
  const { outs } = await provider("InviteBatch").create({
    ...common("team"),
    organizationId: ORGANIZATION,
    invites,
  });
  expect(outs["results"]).toMatchObject(late.map(({ id }) => ({ inviteId: id, status: "pending" })));
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});
