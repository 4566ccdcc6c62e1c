import { applied, configureFor } from "../engine/provider";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { startEmulator, type Emulator } from "../support/emulator";
import { type Message, type Relay, startRelay } from "./relay";

/* Servers whose lists say less of an object than a request for it alone: what is declared is compared all the same. */

type Props = Record<string, unknown>;

const MANY = 12;
let emulator: Emulator;
let relay: Relay;
let left: readonly string[] = [];
let hides: readonly string[] = [];
let requests: string[] = [];

beforeEach(async () => {
  emulator = await startEmulator();
  left = hides = [];
  relay = await startRelay(emulator, {
    request: ({ method, path, body }) => {
      requests.push(`${method} ${path}`);
      return body;
    },
    answer: ({ body }: Message) => {
      if (!isProps(body)) return body;
      const { results } = body;
      if (!Array.isArray(results)) return without(body, hides);
      return {
        ...body,
        results: results.map((row: unknown) => (isProps(row) ? without(row, [...left, ...hides]) : row)),
      };
    },
  });
  configureFor({ environment: { ...emulator.environment, ...relay.environment } });
});
afterEach(async () => {
  await relay.close();
  await emulator.close();
});

function isProps(value: unknown): value is Props {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !names.includes(name)));
}

/** Makes many of a kind, as the state has them. */
async function many(kind: string, args: (n: number) => Props): Promise<{ id: string; outs: Props }[]> {
  const made: { id: string; outs: Props }[] = [];
  for (let n = 0; n < MANY; n++) made.push(await applied(kind, `${kind}-${n}`, args(n)));
  requests = [];
  return made;
}

/** What a refresh says of each: the drift, by id. */
async function refreshed(kind: string, all: readonly { id: string; outs: Props }[]): Promise<Props> {
  const seen = await Promise.all(
    all.map(async ({ id, outs }) => [id, (await provider(kind).read?.(id, outs))?.inputs] as const),
  );
  return Object.fromEntries(
    seen.flatMap(([id, inputs]) => (isProps(inputs) ? [[id, without(inputs, Object.values(HIDDEN))]] : [])),
  );
}

interface Kind {
  readonly field: string;
  readonly args: (n: number) => Props;
  readonly edit: (id: string) => void;
  readonly drift: Props;
}

const destination = { type: "NoOp", config: {} };
const kinds: Readonly<Record<string, Kind>> = {
  Dashboard: {
    field: "description",
    args: (n) => ({ name: `Board ${n}`, description: "Ours" }),
    edit: (id) => {
      const { dashboards } = emulator.store;
      dashboards.update(dashboards.require(Number(id)), { description: "By hand" });
    },
    drift: { description: "By hand" },
  },
  BatchExport: {
    field: "interval",
    args: (n) => ({ name: `Export ${n}`, interval: "hour", destination }),
    edit: (id) => {
      const { batchExports } = emulator.store;
      batchExports.update(batchExports.require(id), { interval: "day" });
    },
    drift: { interval: "day" },
  },
  Domain: {
    field: "saml_entity_id",
    args: (n) => ({ domain: `n${n}.example.org`, samlEntityId: "urn:ours" }),
    edit: (id) => {
      const { domains } = emulator.store;
      domains.update(domains.require(id), { saml_entity_id: "urn:by-hand" });
    },
    drift: { samlEntityId: "urn:by-hand" },
  },
};

test.each(Object.entries(kinds))(
  "%s: what the list leaves out is compared",
  async (kind, { field, args, edit, drift }) => {
    left = [field];
    const all = await many(kind, args);
    const last = all.at(-1)?.id ?? "";
    edit(last);
    expect(await refreshed(kind, all)).toEqual({ [last]: expect.objectContaining(drift) });
  },
);

test("what neither form shows costs a few requests, not one for each", async () => {
  hides = ["description", "pinned"];
  const all = await many("Dashboard", (n) => ({ name: `Board ${n}`, description: "Ours", pinned: true }));
  expect(await refreshed("Dashboard", all)).toEqual({});
  expect(requests.length).toBeLessThanOrEqual(5);
});
