import { closeConnections } from "../../src/client/transport";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import { type Emulator, startEmulator } from "../support/emulator";
import { configure } from "./provider";

/* What many resources ask for is asked once. Where that fails, each of them says so of itself, and of nobody else. */

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
  const common = { host: emulator.url };
  configure({
    "posthog:connections": JSON.stringify({
      admin: { ...common, apiKey: emulator.environment.POSTHOG_API_KEY },
      narrow: { ...common, apiKey: emulator.createKey({ scopes: ["*"], projects: [1] }) },
      old: { ...common, apiKey: "phx_revoked" },
      older: { ...common, apiKey: "phx_revoked" },
    }),
  });
});
afterEach(async () => {
  await closeConnections();
  await emulator.close();
});

const declare = (name: string, connection: string, args: object) => ({
  ...args,
  connection,
  [HIDDEN.name]: name,
  [HIDDEN.provider]: "text",
});
const create = (name: string, connection: string) =>
  provider("Domain").create(
    declare(name, connection, {
      organizationId: emulator.environment.POSTHOG_ORGANIZATION_ID,
      domain: `${name}.example`,
    }),
  );

/** What a verb that fails says. */
const failure = async (verb: Promise<unknown>): Promise<string> => {
  const [ended] = await Promise.allSettled([verb]);
  if (ended.status === "fulfilled") throw new Error("it did not fail");
  return ended.reason instanceof Error ? ended.reason.message : String(ended.reason);
};

test("a key that may not look does not keep others from making something", async () => {
  const refused = failure(create("refused", "narrow"));
  const made = create("made", "admin");
  expect(await refused).toMatch(/^creating Domain "refused": GET .*\/domains\/ answered 403: /);
  expect((await made).outs["domain"]).toBe("made.example");
});

test("of several who are refused together, each is named", async () => {
  const names = ["first", "second", "third"];
  const said = await Promise.all(names.map((name) => failure(create(name, "narrow"))));
  for (const [at, message] of said.entries()) {
    expect(message).toContain(`creating Domain "${names[at]}": GET `);
    for (const other of names) if (other !== names[at]) expect(message).not.toContain(other);
  }
});

test("of several that are missing where nothing answers, each is named", async () => {
  const ids = ["101", "102", "103", "104", "105"];
  const read = (id: string) =>
    provider("Dashboard").read?.(id, declare(`board-${id}`, "admin", { name: "x", projectId: "999999" }));
  const said = await Promise.all(ids.map((id) => failure(Promise.resolve(read(id)))));
  for (const [at, message] of said.entries()) {
    expect(message).toContain(`"board-${ids[at]}" (${ids[at]})`);
    for (const other of ids) if (other !== ids[at]) expect(message).not.toContain(other);
  }
});

test("of two kinds that read one object together, each is named", async () => {
  const { id } = await create("seen", "admin");
  const read = (kind: string, name: string) =>
    failure(Promise.resolve(provider(kind).read?.(id, declare(name, "narrow", args))));
  const { POSTHOG_ORGANIZATION_ID: organizationId } = emulator.environment;
  const args = { organizationId, domain: "seen.example", domainId: id };
  const said = await Promise.all([read("Domain", "whole"), read("DomainVerification", "proof")]);
  expect(said).toEqual([
    expect.stringContaining(`reading Domain "whole" (${id}): GET `),
    expect.stringContaining(`reading DomainVerification "proof" (${id}): GET `),
  ]);
});

test.each([
  ["that make something", (connection: string) => create(connection, connection)],
  ["that read one object", (connection: string) => read("Domain", connection)],
  ["that read a list", (connection: string) => read("Invite", connection)],
])("of two connections with one key %s, each is pointed to its own settings", async (_, act) => {
  const said = await Promise.all(["old", "older"].map((connection) => failure(act(connection))));
  expect(said).toEqual([
    expect.stringContaining("--path posthog:connections.old.apiKey."),
    expect.stringContaining("--path posthog:connections.older.apiKey."),
  ]);
});

const read = (kind: string, connection: string) =>
  Promise.resolve(
    provider(kind).read?.(
      "018f0000-0000-7000-8000-000000000000",
      declare(connection, connection, { organizationId: emulator.environment.POSTHOG_ORGANIZATION_ID }),
    ),
  );
