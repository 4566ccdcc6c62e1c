import { startEmulator, type Emulator } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";
import { MARKER, packed } from "./bad-arguments";
import { badConfigurations, goodConfiguration } from "./bad-configuration";

let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
  stack.env["POSTHOG_API_KEY"] = `phx_${MARKER}`;
});
afterAll(async () => {
  await stack.close();
  await emulator.close();
});

// The engine stops at the first resource that is refused. Here are the resources with most cases; the rest is left to
// test/engine/bad-arguments.test.ts, which has them all.
const all = [...packed()].sort((a, b) => b.cases.length - a.cases.length);
const resources = all.filter(
  (one) => one.cases.length > 2 || one === all.find((other) => other.class === one.class),
);

test("enough of them go through the engine, of every kind", () => {
  expect(resources.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(60);
  expect(new Set(resources.map((one) => one.class)).size).toBe(9);
});

test.each(
  resources.map((one) => [one.class, one.cases.map(({ argument }) => argument).join(", "), one] as const),
)("%s: %s: refused by preview, before any request", async (kind, _, { args, cases }) => {
  stack.declare([{ class: kind, name: "the-bad-one", args }]);
  const run = await stack.preview({ diff: true });
  expect(run.code).not.toBe(0);
  expect(run.output).not.toContain(MARKER);
  const lines = run.diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  for (const { argument, allowed } of cases) {
    const shown = argument === "connection" ? "(connection|configuration)" : argument.replaceAll(".", "\\.");
    const about = lines.filter((line) => new RegExp(`resource 'the-bad-one'.* ${shown}: `, "s").test(line));
    expect([argument, about]).not.toEqual([argument, []]);
    expect(about.join("\n")).toMatch(allowed);
  }
  expect(emulator.requests).toEqual([]);
});

const variables: Readonly<Record<string, string>> = {
  "posthog:apiKey": "POSTHOG_API_KEY",
  "posthog:host": "POSTHOG_HOST",
  "posthog:region": "POSTHOG_REGION",
  "posthog:projectId": "POSTHOG_PROJECT_ID",
  "posthog:organizationId": "POSTHOG_ORGANIZATION_ID",
};
const byEnvironment = badConfigurations.filter(({ throughEngine }) => throughEngine);

test.each(byEnvironment.map((one) => [one.title, one] as const))(
  "%s: refused by preview, before any request",
  async (_, { changes, class: kind = "Dashboard", args = {}, says }) => {
    const before = Object.values(variables).map((variable) => [variable, stack.env[variable]] as const);
    for (const [key, value] of Object.entries({ ...goodConfiguration, ...changes })) {
      const variable = variables[key];
      if (variable !== undefined) stack.env[variable] = value;
    }
    stack.declare([{ class: kind, name: "the-bad-one", args }]);
    const run = await stack.preview({ diff: true });
    Object.assign(stack.env, Object.fromEntries(before));
    expect(run.code).not.toBe(0);
    expect(run.errors).toMatch(says);
    expect(run.errors).toContain("the-bad-one");
    expect(run.output).not.toContain(MARKER);
    expect(emulator.requests).toEqual([]);
  },
);

test("a connection is refused by preview as the default one is", async () => {
  await stack.setAllConfig({
    "posthog:connections": { secret: JSON.stringify({ eu: { apiKey: `phx_${MARKER}` } }) },
  });
  for (const [connection, says] of [
    ["us", /connection "us" is not in posthog:connections, which names eu/],
    ["eu", /projectId: is not given.*posthog:connections\.eu\.projectId/],
  ] as const) {
    stack.declare([{ class: "Dashboard", name: "the-bad-one", args: { connection } }]);
    const run = await stack.preview({ diff: true });
    expect(run.code).not.toBe(0);
    expect(run.errors).toMatch(says);
    expect(run.output).not.toContain(MARKER);
  }
  expect(emulator.requests).toEqual([]);
});
