import { changes, said, Scene, SHAPES, well } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

const KINDS = [
  { kind: "PipelineDestination", path: "pipeline_destinations", code: "export function onEvent() {}" },
  { kind: "FrontendApp", path: "pipeline_frontend_apps", code: undefined },
] as const;
const URL = "https://github.com/acme/exporter";

describe.each(KINDS)("$kind", ({ kind, path, code }) => {
  const files = (more: Record<string, string> = {}) => ({
    ...(code === undefined ? { "site.ts": "export {}" } : { "index.ts": code }),
    ...more,
  });
  const plugin = (args: Record<string, unknown>) => ({
    class: kind,
    name: "plugin",
    args: { pluginType: "source", name: "Mine", ...args },
  });
  const stored = () => scene.emulator.store.plugins.all()[0];

  test.each(SHAPES)(
    "source: set, changed file by file, drift undone, taken out; answers as %s",
    async (shapes) => {
      scene = await Scene.open({ shapes });
      scene.stack.declare([plugin({ source: files({ "lib.ts": "1" }) })]);
      expect(changes(await scene.run((stack) => stack.preview()))).toContain("create plugin");
      expect(scene.sent()).toEqual([]);
      await scene.up([plugin({ source: files({ "lib.ts": "1" }) })]);
      const id = await scene.id("plugin");
      expect(scene.sent()).toEqual([
        ["POST", `${path}/`, { plugin_type: "source", name: "Mine" }],
        ["PATCH", expect.stringContaining(`/${id}/update_source/`), files({ "lib.ts": "1" })],
      ]);
      expect(stored()?.source).toEqual(files({ "lib.ts": "1" }));
      await scene.expectNothingToDo();

      await scene.up([plugin({ source: files({ "new.ts": "2" }) })]);
      expect(stored()?.source).toEqual(files({ "new.ts": "2" }));
      const [update, ...others] = scene.sent();
      expect(others).toEqual([]);
      // By the interface document nobody says what the code is now: all of it is sent.
      if (shapes === "upstream") expect(update?.[2]).toEqual({ "new.ts": "2", "lib.ts": null });

      if (shapes === "upstream") {
        await scene.ask("PATCH", `${path}/${id}/update_source/`, {
          "new.ts": "by hand",
          "extra.ts": "by hand",
        });
        const drift = await scene.run((stack) => stack.refresh());
        expect(drift.step("plugin").diffs).toEqual(["source"]);
        await scene.again();
        expect(scene.sent()[0]?.[2]).toEqual({ "new.ts": "2", "extra.ts": null });
        await scene.expectNothingToDo();
      }

      if (kind === "FrontendApp") {
        await scene.up([plugin({})]);
        expect(stored()?.source).toEqual({});
        await scene.expectNothingToDo();
      }
      await scene.run((stack) => stack.destroy());
      expect(scene.emulator.store.plugins.all()).toEqual([]);
    },
  );

  test("source with a plugin.json: the declared name wins, and stays", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    const json = (name: string) => files({ "plugin.json": JSON.stringify({ name }) });
    await scene.up([plugin({ source: json("Theirs") })]);
    expect(stored()?.name).toBe("Mine");
    await scene.expectNothingToDo();
    await scene.up([plugin({ source: json("Theirs still") })]);
    expect(stored()?.name).toBe("Mine");
    await scene.expectNothingToDo();
  });

  test.each(SHAPES)(
    "tag: upgraded by change, and by latest when there is something newer; answers as %s",
    async (shapes) => {
      scene = await Scene.open({ shapes });
      const capabilities = code === undefined ? {} : { methods: ["onEvent"] };
      const publish = (tag: string) =>
        scene.emulator.publishPlugin(URL, { name: "Exporter", tag, capabilities });
      const installed = (args: Record<string, unknown>) => ({
        class: kind,
        name: "plugin",
        args: { url: URL, ...args },
      });
      publish("v1");
      await scene.up([installed({ tag: "v1" })]);
      const id = await scene.id("plugin");
      await scene.expectNothingToDo();
      publish("v2");
      await scene.up([installed({ tag: "v2" })]);
      expect(scene.sent()).toEqual([["POST", `${path}/${id}/upgrade/`, { tag: "v2" }]]);
      expect(await scene.outputs("plugin")).toMatchObject({ tag: "v2", installedTag: "v2" });
      await scene.expectNothingToDo();

      await scene.up([installed({ tag: "latest" })]);
      expect(scene.sent()).toEqual([]);
      await scene.expectNothingToDo();
      publish("v3");
      const preview = await scene.run((stack) => stack.preview());
      expect(said(preview)).toContain(
        `${kind} "plugin" (${id}): v2 is installed and v3 is the newest: it is upgraded`,
      );
      expect(changes(preview)).toEqual(["update plugin"]);
      expect(scene.sent()).toEqual([]);
      await scene.again();
      expect(scene.sent()).toEqual([["POST", `${path}/${id}/upgrade/`, {}]]);
      expect(await scene.outputs("plugin")).toMatchObject({ tag: "latest", installedTag: "v3" });
      await scene.expectNothingToDo();
    },
  );

  test("with a key that has scopes no preview and no refresh fails, and a line says what was not compared", async () => {
    scene = await Scene.open({ shapes: "upstream" });
    scene.emulator.publishPlugin(URL, {
      name: "Exporter",
      tag: "v1",
      capabilities: code === undefined ? {} : { methods: ["onEvent"] },
    });
    const program = [
      plugin({ source: files() }),
      { class: kind, name: "installed", args: { url: URL, tag: "latest" } },
    ];
    await scene.up(program);
    scene.stack.env["POSTHOG_API_KEY"] = scene.emulator.createKey({ scopes: ["*"] });
    const preview = await scene.run((stack) => stack.preview({ refresh: true, expectNoChanges: true }));
    expect(said(preview)).toContain("source was not compared");
    expect(said(preview)).toContain("tag was not compared with the newest version");

    scene.stack.declare([plugin({ source: files({ "new.ts": "" }) }), ...program.slice(1)]);
    well(await scene.stack.preview());
    const refused = await scene.stack.up();
    expect(refused.errors).toContain(`updating ${kind} "plugin"`);
    expect(refused.errors).toContain("PostHog closes this action to every API key with scopes");
  });
});

test("a destination whose code PostHog has not read yet is found where it is listed meanwhile", async () => {
  scene = await Scene.open({ shapes: "upstream", inferCapabilities: "never" });
  const program = (text: string) => [
    {
      class: "PipelineDestination",
      name: "plugin",
      args: { pluginType: "source", name: "Mine", source: { "index.ts": text } },
    },
  ];
  await scene.up(program("one"));
  await scene.expectNothingToDo();
  await scene.up(program("two"));
  expect(scene.emulator.store.plugins.all()[0]?.source).toEqual({ "index.ts": "two" });
  await scene.run((stack) => stack.destroy());
  expect(scene.emulator.store.plugins.all()).toEqual([]);
});

test("what cannot be is said at preview", async () => {
  scene = await Scene.open();
  scene.stack.declare([
    { class: "FrontendApp", name: "files", args: { pluginType: "source", name: "x", source: { "a.ts": 1 } } },
  ]);
  expect((await scene.stack.preview()).errors).toContain("source.a.ts: must be a string");
  scene.stack.declare([
    { class: "FrontendApp", name: "label", args: { pluginType: "source", name: "x", tag: "latest" } },
  ]);
  expect((await scene.stack.preview()).errors).toContain('tag: "latest" needs a url');
});
