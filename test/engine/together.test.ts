import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { closeConnections } from "../../src/client/transport";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configureFor } from "./provider";

/** Passes bytes on and counts the connections that are open at once. */
async function counting(emulator: Emulator) {
  const target = Number(new URL(emulator.url).port);
  const open = new Set<Socket>();
  const seen = { most: 0 };
  const server = createServer((socket) => {
    open.add(socket);
    seen.most = Math.max(seen.most, open.size);
    const further = connect(target, "127.0.0.1");
    socket.on("close", () => {
      open.delete(socket);
      further.destroy();
    });
    further.on("close", () => socket.destroy());
    for (const end of [socket, further]) end.on("error", () => undefined);
    socket.pipe(further).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    environment: { ...emulator.environment, POSTHOG_HOST: `http://127.0.0.1:${port}` },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(() => jest.restoreAllMocks());

type Props = Record<string, unknown>;
const KINDS = ["Dashboard", "Organization", "BatchExport", "Domain"] as const;

function argumentsOf(kind: (typeof KINDS)[number], n: number, { environment }: Emulator): Props {
  const { POSTHOG_PROJECT_ID: projectId, POSTHOG_ORGANIZATION_ID: organizationId } = environment;
  switch (kind) {
    case "Dashboard":
      return { projectId, name: `Board ${n}` };
    case "Organization":
      return { name: `Organization ${n}` };
    case "BatchExport":
      return {
        organizationId,
        name: `Export ${n}`,
        interval: "hour",
        destination: { type: "NoOp", config: {} },
      };
    case "Domain":
      return { organizationId, domain: `n${n}.example.org` };
  }
}
const CHANGE: Record<(typeof KINDS)[number], (n: number) => Props> = {
  Dashboard: (n) => ({ description: `changed ${n}` }),
  Organization: (n) => ({ name: `Changed ${n}` }),
  BatchExport: (n) => ({ name: `Changed ${n}`, paused: true }),
  Domain: (n) => ({ samlEntityId: `changed ${n}` }),
};

test("64 resources at once: nothing is lost, and there are never more than 16 connections", async () => {
  const emulator = await startEmulator({ latency: 15 });
  const relay = await counting(emulator);
  configureFor(relay);
  try {
    const resources = Array.from({ length: 64 }, (_, n) => {
      const kind = KINDS[n % KINDS.length] ?? "Dashboard";
      return { kind, n, args: { ...argumentsOf(kind, n, emulator), __resource: `r${n}` } };
    });
    const made = await Promise.all(
      resources.map(async ({ kind, n, args }) => ({ kind, n, args, ...(await provider(kind).create(args)) })),
    );
    expect(new Set(made.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(64);

    const changed = await Promise.all(
      made.map(async ({ kind, n, args, id, outs }) => {
        const news = { ...args, ...CHANGE[kind](n) };
        const { outs: after } = (await provider(kind).update?.(id, outs, news)) ?? {};
        return { kind, id, news, after };
      }),
    );
    const read = await Promise.all(
      changed.map(async ({ kind, id, after }) => await provider(kind).read?.(id, after)),
    );
    expect(read.map((one, index) => [index, one?.id, one?.inputs])).toEqual(
      changed.map(({ id }, index) => [index, id, undefined]),
    );
    const { store } = emulator;
    expect(store.dashboards.filter(({ description }) => /^changed /.test(description))).toHaveLength(16);
    expect(store.organizations.filter(({ name }) => /^Changed /.test(name))).toHaveLength(16);
    expect(store.batchExports.filter(({ name, paused }) => /^Changed /.test(name) && paused)).toHaveLength(
      16,
    );
    expect(store.domains.filter(({ saml_entity_id: id }) => /^changed /.test(id ?? ""))).toHaveLength(16);
    expect(relay.seen.most).toBeLessThanOrEqual(16);
    expect(relay.seen.most).toBeGreaterThan(8);
  } finally {
    await closeConnections();
    await relay.close();
    await emulator.close();
  }
});

test("backfills of many exports are read with the list of exports", async () => {
  const emulator = await startEmulator();
  configureFor(emulator);
  try {
    const { POSTHOG_ORGANIZATION_ID: organizationId } = emulator.environment;
    const range = { startAt: "2026-01-01T00:00:00Z", endAt: "2026-01-01T03:00:00Z" };
    const made = [];
    for (let n = 0; n < 20; n++) {
      const lake = await provider("BatchExport").create(argumentsOf("BatchExport", n, emulator));
      const args = { organizationId, batchExportId: lake.id, ...range };
      made.push(await provider("BatchExportBackfill").create(args));
    }
    emulator.clearRequests();
    const read = await Promise.all(
      made.map(async ({ id, outs }) => await provider("BatchExportBackfill").read?.(id, outs)),
    );
    expect(read.map((one) => [one?.id, one?.props?.["latestRuns"]])).toEqual(
      made.map(({ id, outs }) => [id, outs?.["latestRuns"]]),
    );
    expect(emulator.requests.length).toBeLessThanOrEqual(4);
  } finally {
    await closeConnections();
    await emulator.close();
  }
});
