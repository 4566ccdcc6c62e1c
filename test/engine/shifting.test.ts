import { randomUUID } from "node:crypto";
import { closeConnections } from "../../src/client/transport";
import { provider } from "../../src/runtime";
import { type Relay, startRelay } from "../guarantees/relay";
import { type Emulator, startEmulator } from "../support/emulator";
import { configureFor } from "./provider";

/*
 * Lists whose pages shift while they are read: with every page that is asked for, something before it goes and
 * something else comes. Whoever exists has to be found all the same, and whoever is gone has to be gone.
 */
let emulator: Emulator;
let relay: Relay;
let churn: () => void;
beforeEach(async () => {
  jest.spyOn(console, "log").mockReturnValue();
  emulator = await startEmulator({ members: 0 });
  churn = () => undefined;
  relay = await startRelay(emulator, {
    request: ({ method, path, body }) => {
      if (method === "GET" && /[?&](offset|limit|cursor)=/.test(path)) churn();
      return body;
    },
  });
  configureFor({ environment: { ...emulator.environment, POSTHOG_HOST: relay.url } });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await closeConnections();
  await relay.close();
  await emulator.close();
});

type Props = Record<string, unknown>;

/** A kind that is read in lists: how one is declared, and how others like it come and go. */
interface Listed {
  readonly kind: string;
  args(n: number): Props;
  /** Adds another object to the list, of somebody else; what removes it again. */
  another(n: number): () => void;
}

const scope = () => {
  const { POSTHOG_PROJECT_ID: projectId, POSTHOG_ORGANIZATION_ID: organizationId } = emulator.environment;
  return { projectId, organizationId };
};

/** Copies a row of a collection under another id. */
function copy<T extends { readonly id: number | string }>(
  rows: { all(): T[]; nextId(): number; insert(row: T): T; delete(id: T["id"]): boolean },
  changes: Partial<T>,
): () => void {
  const [model] = rows.all().slice(-1);
  if (model === undefined) throw new Error("nothing to copy");
  const id = typeof model.id === "number" ? rows.nextId() : randomUUID();
  const { id: made } = rows.insert({ ...model, ...changes, id });
  return () => void rows.delete(made);
}

const KINDS: readonly Listed[] = [
  {
    kind: "Dashboard",
    args: (n) => ({ projectId: scope().projectId, name: `Board ${n}` }),
    another: (n) => copy(emulator.store.dashboards, { name: `A ${n}` }),
  },
  {
    kind: "Organization",
    args: (n) => ({ name: `Organization ${n}` }),
    another: (n) => {
      const { organizations, memberships } = emulator.store;
      const before = new Set(organizations.all().map(({ id }) => id));
      const removeOrganization = copy(organizations, { name: `A ${n}`, slug: `a-${n}` });
      const made = organizations.find(({ id }) => !before.has(id));
      const removeMembership = copy(memberships, { organization_id: made?.id ?? "" });
      return () => {
        removeMembership();
        removeOrganization();
      };
    },
  },
  {
    kind: "BatchExport",
    args: (n) => ({
      organizationId: scope().organizationId,
      name: `Export ${n}`,
      interval: "hour",
      destination: { type: "NoOp", config: {} },
    }),
    another: (n) => copy(emulator.store.batchExports, { name: `A ${n}` }),
  },
  {
    kind: "Domain",
    args: (n) => ({ organizationId: scope().organizationId, domain: `n${n}.example.org` }),
    another: (n) => copy(emulator.store.domains, { domain: `a${n}.example.org` }),
  },
  {
    kind: "Invite",
    args: (n) => ({ organizationId: scope().organizationId, targetEmail: `n${n}@people.example` }),
    another: (n) => copy(emulator.store.invites, { target_email: `a${n}@people.example` }),
  },
  {
    kind: "Member",
    args(n) {
      const email = `n${n}@people.example`;
      emulator.addMember({ email });
      return { organizationId: scope().organizationId, email, level: 1 };
    },
    another(n) {
      const { user } = emulator.addMember({ email: `a${n}@people.example` });
      const { memberships, users } = emulator.store;
      return () => void memberships.deleteWhere((row) => users.require(row.user_id).uuid === user.uuid);
    },
  },
  ...["PipelineDestination", "FrontendApp", "ImportApp"].map((kind): Listed => ({
    kind,
    args: (n) => ({ organizationId: scope().organizationId, url: `https://github.com/acme/${kind}-${n}` }),
    another: (n) => copy(emulator.store.plugins, { url: `https://github.com/acme/another-${n}` }),
  })),
];

test.each(KINDS)("$kind: all are found, and only who is gone is gone", async ({ kind, args, another }) => {
  const declared = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ ...args(n), __resource: `r${n}` }));
  const made = [];
  for (const inputs of declared) made.push(await provider(kind).create(inputs));
  const others = Array.from({ length: 250 }, (_, n) => another(n));
  let count = 1000;
  churn = () => {
    others.shift()?.();
    others.push(another(count++));
  };
  emulator.clearRequests();
  const read = await Promise.all(made.map(async ({ id, outs }) => await provider(kind).read?.(id, outs)));
  expect(read.map((one) => one?.id)).toEqual(made.map(({ id }) => id));
  // Three by themselves, the list, for what one pass missed a second one or a single read each.
  expect(emulator.requests.length).toBeLessThanOrEqual(3 + 2 * 4 + 8);
});
