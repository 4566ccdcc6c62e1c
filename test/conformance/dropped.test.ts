import { writes } from "../support/emulator";
import { ALL_FEATURES } from "../../src/emulator";
import { ending, openScene, step, warnings, WELL } from "./scene";

/* What the service takes without a word and does not keep. */

const scene = openScene();
const sent = () => writes(scene.emulator).map(({ method, body }) => [method, body]);
const dashboard = (tags: readonly string[], name = "Tagged") => ({
  class: "Dashboard",
  name: "dashboard",
  args: { name, tags },
});
const app = {
  class: "FrontendApp",
  name: "app",
  args: { url: "https://github.com/conformance/overwriting", name: "Our name", tag: "v0" },
};

describe("the first up", () => {
  const shared = scene.running(() => {
    for (const name of ["organization", "otherOrganization"])
      scene.emulator.setFeatures(
        scene.named(name),
        ALL_FEATURES.filter((feature) => feature !== "tagging"),
      );
    scene.emulator.publishPlugin(app.args.url, { name: "Its own name", description: "Its own", tag: "v7" });
    scene.stack.declare([dashboard(["a", "b"]), app]);
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("warns once of each argument that was dropped", () => {
    expect(warnings(shared.run, "Dashboard", "dashboard")).toEqual([
      expect.stringMatching(/tags was sent as \["a","b"\], and the service keeps \[\]/),
    ]);
    expect(warnings(shared.run, "FrontendApp", "app")).toEqual([
      expect.stringMatching(/name was sent as "Our name", and the service keeps "Its own name"/),
    ]);
  });
  it("keeps in the state what was asked for", () => {
    expect(step(shared.run, { name: "dashboard" }, "create").new?.outputs["tags"]).toEqual(["a", "b"]);
  });
});

describe("while both stay the same", () => {
  const again = scene.running(() => scene.stack.up({ expectNoChanges: true }));
  const refreshed = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("nothing is left to do", () => expect([again.run, refreshed.run].map(ending)).toEqual([WELL, WELL]));
  it("nothing is said again", () => {
    for (const { run } of [again, refreshed]) expect(warnings(run, "Dashboard", "dashboard")).toEqual([]);
  });
  it("nothing is written", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("a change of another argument", () => {
  const shared = scene.running(() => {
    scene.stack.declare([dashboard(["a", "b"], "Renamed"), app]);
    return scene.stack.up();
  });
  it("sends that alone, and warns no more", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(sent()).toEqual([["PATCH", { name: "Renamed" }]]);
    expect(warnings(shared.run, "Dashboard", "dashboard")).toEqual([]);
  });
});

describe("other tags", () => {
  const shared = scene.running(() => {
    scene.stack.declare([dashboard(["c"], "Renamed"), app]);
    return scene.stack.up();
  });
  const again = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("are sent, and the warning comes again", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(shared.writes).toMatchObject([{ method: "PATCH", body: { tags: ["c"] } }]);
    expect(warnings(shared.run, "Dashboard", "dashboard")).toHaveLength(1);
  });
  it("are no difference after that", () => expect(ending(again.run)).toEqual(WELL));
});

describe("tags that someone sets once the plan allows it", () => {
  const shared = scene.running(async () => {
    for (const name of ["organization", "otherOrganization"]) scene.emulator.setFeatures(scene.named(name));
    const id = Number((await scene.ids()).get("dashboard"));
    const row = scene.emulator.store.dashboards.require(id);
    scene.emulator.store.dashboards.update(row, { tags: ["by hand"] });
    return scene.stack.up({ refresh: true });
  });
  it("are drift, and ours are sent", () => {
    expect(ending(shared.run)).toEqual(WELL);
    expect(sent()).toEqual([["PATCH", { tags: ["c"] }]]);
    expect(warnings(shared.run, "Dashboard", "dashboard")).toEqual([]);
  });
});

describe("after it", () => {
  const shared = scene.running(() => scene.stack.preview({ refresh: true, expectNoChanges: true }));
  it("nothing is left to do", () => expect(ending(shared.run)).toEqual(WELL));
});
