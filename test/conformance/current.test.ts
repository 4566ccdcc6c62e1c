import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { ending, openScene, step, WELL } from "./scene";
import { ask } from "./world";

/* `@current` and slugs are resolved once: creating an organization moves the first, and nothing follows it. */

const scene = openScene();
beforeAll(() => {
  scene.stack.env["POSTHOG_ORGANIZATION_ID"] = "@current";
});

const resources: readonly Declared[] = [
  { class: "Domain", name: "configured", args: { domain: "current.example" } },
  { class: "Domain", name: "by slug", args: { organizationId: "acme", domain: "slug.example" } },
  { class: "Invite", name: "invite", args: { targetEmail: "current@example.com" } },
  { class: "FrontendApp", name: "app", args: { pluginType: "source", name: "App" } },
];
const organization: Declared = { class: "Organization", name: "made", args: { name: "Made" } };

async function current(): Promise<unknown> {
  const { body } = await ask(scene.emulator, "GET", "/api/organizations/@current/");
  return typeof body === "object" && body !== null && "id" in body ? body.id : undefined;
}

describe("an up that makes an organization beside what lives in @current", () => {
  const before: { id?: unknown } = {};
  const shared = scene.running(async () => {
    before.id = await current();
    scene.stack.declare([organization, ...resources]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("moves @current", async () => expect(await current()).not.toBe(before.id));
  it.each(["configured", "invite", "app"])("puts %s where @current was, by its UUID", (name) => {
    const made = step(shared.run, { name }, "create").new;
    expect(made?.outputs["organizationId"]).toBe(before.id);
    expect(writes(scene.emulator).some(({ path }) => path.includes("@current"))).toBe(false);
  });
  it("finds a slug's organization", () => {
    const made = step(shared.run, { name: "by slug" }, "create").new;
    expect(made?.outputs["organizationId"]).toBe(scene.named("organization"));
  });
});

describe("the up after it", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("replaces nothing", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
  it("says in one line that @current has moved", () => {
    const said = shared.run.diagnostics.filter(({ message }) =>
      message.startsWith("@current is now organization"),
    );
    expect(said).toHaveLength(1);
  });
});

describe("destroy", () => {
  const shared = scene.running(() => scene.stack.destroy());
  it("removes each where it is", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(writes(scene.emulator).map(({ status }) => status)).toEqual(Array(5).fill(204));
  });
});
