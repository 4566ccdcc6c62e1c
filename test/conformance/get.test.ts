import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { kinds } from "./cases";
import { ending, openScene, step, WELL } from "./scene";
import { made } from "./world";

/* Looking up what something else manages. */

const SECRET = "hush-of-someone-else";
/** An id of each kind's form that nothing has. */
const missing: Readonly<Record<string, string>> = {
  Dashboard: "99999",
  PipelineDestination: "99999",
  FrontendApp: "99999",
  ImportApp: "99999",
};

const bodies: Readonly<Record<string, unknown>> = {
  Dashboard: { name: "Found", filters: { date_from: "-7d" } },
  Organization: { name: "Found" },
  BatchExport: {
    name: "Found",
    interval: "day",
    destination: {
      type: "S3",
      config: { bucket_name: "b", region: "r", prefix: "p", aws_secret_access_key: SECRET },
    },
  },
  Domain: { domain: "found.example" },
  Invite: { target_email: "found@example.com" },
  PipelineDestination: { plugin_type: "source", name: "Found" },
  FrontendApp: { plugin_type: "source", name: "Found" },
  ImportApp: { plugin_type: "source", name: "Found" },
};
const shown: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Domain: { domain: "found.example", dnsRecordName: "_posthog-challenge.found.example" },
  Invite: { targetEmail: "found@example.com", status: "pending" },
  Member: { level: 1, user: expect.objectContaining({ email: "first@members.example" }) },
};

const scene = openScene();
const ids = new Map<string, string>();

beforeAll(async () => {
  for (const kind of kinds) {
    const body = bodies[kind.kind];
    const id =
      body === undefined
        ? scene.named("first@members.example")
        : (await made(scene.emulator, scene.path(kind), body))["id"];
    ids.set(kind.kind, String(id));
  }
});

const lookups = (id: (kind: string) => string | undefined): Declared[] =>
  kinds.map(({ kind }) => ({ class: kind, name: kind, get: { id: id(kind) } }));

describe("an up of lookups", () => {
  const shared = scene.running(() => {
    const current = { class: "Organization", name: "current", get: { id: "@current" } };
    const slug = { class: "Organization", name: "slug", get: { id: "acme" } };
    scene.stack.declare([...lookups((kind) => ids.get(kind)), current, slug]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it.each(kinds.map(({ kind }) => [kind]))("reads the %s", (kind) => {
    const found = step(shared.run, { name: kind }, "read").new;
    expect(found?.id).toBe(ids.get(kind));
    expect(found?.outputs).toMatchObject(shown[kind] ?? { name: "Found" });
  });
  it("finds an organization by @current and by its slug", () => {
    expect(step(shared.run, { name: "current" }, "read").new?.id).toBe(ids.get("Organization"));
    expect(step(shared.run, { name: "slug" }, "read").new?.id).toBe(scene.named("organization"));
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
  it("brings no secret into the state", async () =>
    expect(await scene.stack.stateFile()).not.toContain(SECRET));
});

describe("refresh and destroy of lookups", () => {
  const refreshed = scene.running(() => scene.stack.refresh());
  const again = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  const destroyed = scene.running(() => scene.stack.destroy());
  it("succeed", () => {
    expect([refreshed.run, again.run, destroyed.run].map(ending)).toEqual([WELL, WELL, WELL]);
  });
  it("write nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("an up of lookups of what is not there", () => {
  const idOf = (kind: string) => missing[kind] ?? "00000000-0000-4000-8000-000000000000";
  const shared = scene.running(() => {
    scene.stack.declare(lookups(idOf));
    return scene.stack.up({ continueOnError: true });
  });
  it("fails", () => expect(shared.run.code).not.toBe(0));
  it.each(kinds.map(({ kind }) => [kind]))("names the missing %s", (kind) => {
    expect(shared.run.errors).toContain(`${kind}.get("${kind}", "${idOf(kind)}"): there is no such object`);
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});
