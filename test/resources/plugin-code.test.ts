import { changes, said, Scene, SHAPES, well } from "./scene";

let scene: Scene;
afterEach(() => scene.close());

/** Both kinds live in one program: what one does is no business of the other. */
const KINDS = [
  { kind: "PipelineDestination", path: "pipeline_destinations", code: "export function onEvent() {}" },
  { kind: "FrontendApp", path: "pipeline_frontend_apps", code: undefined },
] as const;
type Kind = (typeof KINDS)[number];
const url = ({ path }: Kind) => `https://github.com/acme/${path}`;

const files = ({ code }: Kind, more: Record<string, string> = {}) => ({
  ...(code === undefined ? { "site.ts": "export {}" } : { "index.ts": code }),
  ...more,
});
/** A plugin of each kind whose code is the program's, or only of one. */
const plugins = (args: (of: Kind) => Record<string, unknown>, of: readonly Kind[] = KINDS) =>
  of.map((one) => ({
    class: one.kind,
    name: one.path,
    args: { pluginType: "source", name: `Mine ${one.kind}`, ...args(one) },
  }));
/** The same from a repository. */
const installed = (args: Record<string, unknown>) =>
  KINDS.map((one) => ({ class: one.kind, name: one.path, args: { url: url(one), ...args } }));
const stored = (one: Kind) =>
  scene.emulator.store.plugins
    .all()
    .find((plugin) => plugin.url === url(one) || plugin.name === `Mine ${one.kind}`);
/** What was sent about one of the two. */
const sentFor = ({ path }: Kind) => scene.sent().filter(([, target]) => target.startsWith(path));
const publish = (tag: string) => {
  for (const one of KINDS) {
    const capabilities = one.code === undefined ? {} : { methods: ["onEvent"] };
    scene.emulator.publishPlugin(url(one), { name: `Exporter ${one.kind}`, tag, capabilities });
  }
};

test.each(SHAPES)(
  "source: set, changed file by file, drift undone, taken out; answers as %s",
  async (shapes) => {
    scene = await Scene.open({ shapes });
    scene.stack.declare(plugins((of) => ({ source: files(of, { "lib.ts": "1" }) })));
    const first = changes(await scene.run((stack) => stack.preview()));
    expect(first).toEqual(expect.arrayContaining(KINDS.map(({ path }) => `create ${path}`)));
    expect(scene.sent()).toEqual([]);
    await scene.again();
    for (const one of KINDS) {
      const { path, kind } = one;
      const id = await scene.id(path);
      expect(sentFor(one)).toEqual([
        ["POST", `${path}/`, { plugin_type: "source", name: `Mine ${kind}` }],
        ["PATCH", expect.stringContaining(`/${id}/update_source/`), files(one, { "lib.ts": "1" })],
      ]);
      expect(stored(one)?.source).toEqual(files(one, { "lib.ts": "1" }));
    }
    await scene.expectNothingToDo();

    await scene.up(plugins((of) => ({ source: files(of, { "new.ts": "2" }) })));
    for (const one of KINDS) {
      expect(stored(one)?.source).toEqual(files(one, { "new.ts": "2" }));
      const [update, ...others] = sentFor(one);
      expect(others).toEqual([]);
      // By the interface document nobody says what the code is now: all of it is sent.
      if (shapes === "upstream") expect(update?.[2]).toEqual({ "new.ts": "2", "lib.ts": null });
    }

    if (shapes === "upstream") {
      for (const { path } of KINDS) {
        const change = { "new.ts": "by hand", "extra.ts": "by hand" };
        await scene.ask("PATCH", `${path}/${await scene.id(path)}/update_source/`, change);
      }
      const drift = await scene.run((stack) => stack.refresh());
      for (const { path } of KINDS) expect(drift.step(path).diffs).toEqual(["source"]);
      await scene.again();
      for (const one of KINDS) expect(sentFor(one)[0]?.[2]).toEqual({ "new.ts": "2", "extra.ts": null });
      await scene.expectNothingToDo();
    }

    const [destination, app] = KINDS;
    await scene.up([
      ...plugins((of) => ({ source: files(of, { "new.ts": "2" }) }), [destination]),
      ...plugins(() => ({}), [app]),
    ]);
    expect(stored(app)?.source).toEqual({});
    await scene.expectNothingToDo();
    await scene.run((stack) => stack.destroy());
    expect(scene.emulator.store.plugins.all()).toEqual([]);
  },
);

test("source with a plugin.json: the declared name wins, and stays", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  const json = (name: string) =>
    plugins((of) => ({ source: files(of, { "plugin.json": JSON.stringify({ name }) }) }));
  for (const name of ["Theirs", "Theirs still"]) {
    await scene.up(json(name));
    for (const one of KINDS) expect(stored(one)?.name).toBe(`Mine ${one.kind}`);
    await scene.expectNothingToDo();
  }
});

test.each(SHAPES)(
  "tag: upgraded by change, and by latest when there is something newer; answers as %s",
  async (shapes) => {
    scene = await Scene.open({ shapes });
    publish("v1");
    await scene.up(installed({ tag: "v1" }));
    await scene.expectNothingToDo();
    publish("v2");
    await scene.up(installed({ tag: "v2" }));
    for (const one of KINDS) {
      const upgrade = `${one.path}/${await scene.id(one.path)}/upgrade/`;
      expect(sentFor(one)).toEqual([["POST", upgrade, { tag: "v2" }]]);
      expect(await scene.outputs(one.path)).toMatchObject({ tag: "v2", installedTag: "v2" });
    }
    await scene.expectNothingToDo();

    await scene.up(installed({ tag: "latest" }));
    expect(scene.sent()).toEqual([]);
    await scene.expectNothingToDo();
    publish("v3");
    const preview = await scene.run((stack) => stack.preview());
    for (const { kind, path } of KINDS) {
      expect(said(preview)).toContain(
        `${kind} "${path}" (${await scene.id(path)}): v2 is installed and v3 is the newest: it is upgraded`,
      );
    }
    expect(changes(preview).sort()).toEqual(KINDS.map(({ path }) => `update ${path}`).sort());
    expect(scene.sent()).toEqual([]);
    await scene.again();
    for (const one of KINDS) {
      expect(sentFor(one)).toEqual([["POST", `${one.path}/${await scene.id(one.path)}/upgrade/`, {}]]);
      expect(await scene.outputs(one.path)).toMatchObject({ tag: "latest", installedTag: "v3" });
    }
    await scene.expectNothingToDo();
  },
);

test("with a key that has scopes no preview and no refresh fails, and a line says what was not compared", async () => {
  scene = await Scene.open({ shapes: "upstream" });
  publish("v1");
  const latest = installed({ tag: "latest" }).map((one) => ({ ...one, name: `${one.name}-installed` }));
  await scene.up([...plugins((of) => ({ source: files(of) })), ...latest]);
  scene.stack.env["POSTHOG_API_KEY"] = scene.emulator.createKey({ scopes: ["*"] });
  const preview = await scene.run((stack) => stack.preview({ refresh: true, expectNoChanges: true }));
  for (const { kind, path } of KINDS) {
    expect(said(preview)).toMatch(new RegExp(`${kind} "${path}".*source was not compared`));
    expect(said(preview)).toMatch(
      new RegExp(`${kind} "${path}-installed".*tag was not compared with the newest version`),
    );
  }

  scene.stack.declare([...plugins((of) => ({ source: files(of, { "new.ts": "" }) })), ...latest]);
  well(await scene.stack.preview());
  const refused = await scene.stack.up({ continueOnError: true });
  for (const { kind, path } of KINDS) expect(refused.errors).toContain(`updating ${kind} "${path}"`);
  expect(refused.errors).toContain("PostHog closes this action to every API key with scopes");
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
