import { ALL_FEATURES } from "../../src/emulator";
import { type Emulator, startEmulator } from "../support/emulator";
import { type Declared, openStack, type Run, type Stack } from "../support/stack";
import { type Relay, startRelay } from "./relay";
import { answered, KEYS, type Row } from "./upstream-errors";
import { refused } from "./upstream-refusals";

/*
 * What a person reads at the end of `pulumi up`, for each error that the service is known to answer: which resource,
 * what was wrong, what to do next. One program in which every resource but one fails.
 */

const rows = [...answered, ...refused];

let emulator: Emulator;
let relay: Relay;
let stack: Stack;
let run: Run;

/** The name is what tells the relay which answer is meant. */
const nameOf = ({ title }: Row) => title.replaceAll(/[^a-z0-9]+/gi, "-");

function declared(row: Row): Declared {
  const { kind = "Dashboard", args = {}, connection } = row;
  const own =
    kind === "Invite" || kind === "Domain" || kind === "DashboardCollaborator" ? {} : { name: nameOf(row) };
  return { class: kind, name: nameOf(row), args: { ...own, ...args, ...(connection ? { connection } : {}) } };
}

beforeAll(async () => {
  emulator = await startEmulator();
  const { POSTHOG_PROJECT_ID: projectId, POSTHOG_ORGANIZATION_ID: organizationId } = emulator.environment;
  const features = ALL_FEATURES.filter((feature) => feature !== "high-frequency-batch-exports");
  emulator.setFeatures(organizationId, features);
  emulator.addMember({ email: "stranger@example.org" });
  const { memberships, users } = emulator.store;
  const stranger = users.find(({ email }) => email === "stranger@example.org");
  memberships.deleteWhere((row) => row.user_id === stranger?.id);
  await fetch(`${emulator.url}/api/organizations/${organizationId}/domains/`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ domain: "taken.example" }),
  });
  const refusals = new Map(rows.flatMap((row) => (row.refusal ? [[nameOf(row), row.refusal] as const] : [])));
  relay = await startRelay(emulator, {
    request: ({ method, body: sent }) => {
      const name = typeof sent === "object" && sent !== null && "name" in sent ? String(sent.name) : "";
      return (method === "POST" ? refusals.get(name) : undefined) ?? sent;
    },
  });
  const connections = Object.entries(KEYS).map(([name, make]) => [
    name,
    { host: relay.url, apiKey: make(emulator), projectId, organizationId },
  ]);
  stack = await openStack({
    emulator: relay,
    config: {
      "posthog:requestDeadline": "20",
      "posthog:connections": { secret: JSON.stringify(Object.fromEntries(connections)) },
    },
  });
  stack.declare([{ class: "Dashboard", name: "open", args: { name: "Open" } }, ...rows.map(declared)]);
  run = await stack.up({ continueOnError: true });
});
afterAll(async () => {
  await stack.close();
  await relay.close();
  await emulator.close();
});

test("every resource but the good one fails", () => {
  expect(run.code).not.toBe(0);
  expect(run.steps.filter(({ status }) => status === "done").map(({ name }) => name)).toEqual(["open"]);
});

test.each(rows.map((row) => [row.title, row] as const))("%s", (_, row) => {
  const [request, status, cause, next] = row.says;
  const about = run.diagnostics.filter(({ name, severity }) => name === nameOf(row) && severity === "error");
  expect(about).toHaveLength(1);
  const message = about[0]?.message ?? "";
  expect(message).toContain(`creating ${row.kind ?? "Dashboard"} "${nameOf(row)}": `);
  expect(message).toMatch(request);
  expect(message).toContain(`answered ${String(status)}: `);
  expect(message).toContain(cause);
  expect(message).toMatch(next);
});

test("no message shows a key", () => {
  for (const { value } of emulator.store.keys.all()) expect(run.output).not.toContain(value);
  expect(run.output).not.toContain(KEYS.invalid());
});
