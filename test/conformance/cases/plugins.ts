import type { ArgumentCase, Clearing, Effect, KindCases, Order } from "./case";

interface PluginKind {
  readonly kind: string;
  readonly collection: string;
  /** What can be changed in place; the import apps of the interface cannot be changed at all. */
  readonly update: Effect;
  readonly order: Order;
  /** Capabilities that keep a plugin of this kind in its collection. */
  readonly capabilities: readonly [object, object, object];
  readonly clearedCapabilities: Clearing;
  /** A file with two versions of the code. */
  readonly code: readonly [file: string, first: string, second: string];
}

function pluginCases(given: PluginKind): KindCases {
  const slug = given.kind.toLowerCase();
  const fixed = given.update === "replacement";
  const simple = (
    argument: string,
    field: string,
    values: readonly [unknown, unknown, unknown],
    cleared: Clearing,
  ): ArgumentCase => ({
    argument,
    field,
    first: values[0],
    second: values[1],
    update: given.update,
    outside: { by: [["PATCH", "", { [field]: values[2] }]], shown: values[2] },
    cleared: fixed ? "replacement" : cleared,
  });
  const address = (name: string) => `https://github.com/conformance/${slug}-${name}`;
  return {
    kind: given.kind,
    path: `/api/organizations/$organization/${given.collection}/`,
    base: (name) => ({ pluginType: "source", name: `${given.kind} of ${name}` }),
    marker: "name",
    order: given.order,
    removal: ["DELETE", ""],
    existing: {
      made: (name) => ({ plugin_type: "source", name: `Plugin of ${name}`, description: "There" }),
      equal: (name) => ({ pluginType: "source", name: `Plugin of ${name}`, description: "There" }),
      differing: { description: "Ours" },
      ...(fixed
        ? {
            named:
              'description cannot be changed in place and differs. Write what is there (description: "There")',
          }
        : { named: 'description: "There" → "Ours"', patch: { description: "Ours" } }),
    },
    // The interface cannot delete import apps.
    ...(fixed ? { destroyed: "released" as const } : {}),
    arguments: [
      {
        argument: "organizationId",
        field: "organization_id",
        first: { $world: "organization" },
        second: { $world: "otherOrganization" },
        creation: "path",
        update: "replacement",
        cleared: "replacement",
      },
      {
        argument: "pluginType",
        field: "plugin_type",
        first: "source",
        second: "inline",
        update: "replacement",
        cleared: "replacement",
      },
      ...(fixed
        ? []
        : [
            {
              argument: "pluginType",
              label: "pluginType of an address",
              field: "plugin_type",
              with: { url: address("kept") },
              first: "custom",
              second: "repository",
              update: "replacement",
              cleared: "replacement",
              // An address is installed once.
              order: "old first",
            } as const,
          ]),
      {
        argument: "url",
        field: "url",
        with: { pluginType: undefined },
        first: address("one"),
        second: address("two"),
        update: "replacement",
        cleared: "replacement",
      },
      simple("name", "name", [`${given.kind} of name`, `${given.kind} renamed`, "By hand"], { to: "" }),
      simple("description", "description", ["It sends", "It sends twice", "By hand"], { to: "" }),
      simple(
        "icon",
        "icon",
        ["https://a.example/1.png", "https://a.example/2.png", "https://a.example/3.png"],
        { to: "" },
      ),
      simple(
        "configSchema",
        "config_schema",
        [[{ key: "one" }], [{ key: "one" }, { key: "two", default: { nested_key: 1 } }], [{ key: "three" }]],
        { to: {} },
      ),
      // Without an address a tag is a mere label.
      simple("tag", "tag", ["v1", "v2", "v3"], "stays"),
      ...(fixed ? [] : [tagOfAnAddress(address("tagged")), source(given.code)]),
      simple("isGlobal", "is_global", [false, true, false], { to: false }),
      simple("capabilities", "capabilities", given.capabilities, given.clearedCapabilities),
      simple("metrics", "metrics", [{ sent: "sum" }, { sent: "max" }, { sent: "min" }], { to: {} }),
      simple("publicJobs", "public_jobs", [{ sync: {} }, { sync: { payload: {} } }, { other: {} }], {
        to: {},
      }),
    ],
  };
}

const tagOfAnAddress = (url: string): ArgumentCase => ({
  argument: "tag",
  label: "tag of an address",
  field: "tag",
  with: { url, pluginType: undefined },
  first: "v1",
  second: "v2",
  update: [["POST", "upgrade/", { tag: "v2" }]],
  outside: { by: [["PATCH", "", { tag: "v3" }]], shown: "v3" },
  cleared: "stays",
});

/** By the interface, the code is never read back. */
const source = ([file, first, second]: PluginKind["code"]): ArgumentCase => ({
  argument: "source",
  field: "source",
  first: { [file]: first, "README.md": "What it does" },
  second: { [file]: second },
  creation: "unsent",
  update: [["PATCH", "update_source/", { [file]: second, "README.md": null }]],
  cleared: { sends: [["PATCH", "update_source/", { [file]: null }]] },
});

const methods = (...names: string[]) => ({ methods: names, jobs: [], scheduled_tasks: [] });

export const pipelineDestination = pluginCases({
  kind: "PipelineDestination",
  collection: "pipeline_destinations",
  update: "patch",
  order: "new first",
  capabilities: [methods("onEvent"), methods("onEvent", "setupPlugin"), methods("onEvent", "getSettings")],
  code: ["index.ts", "export function onEvent() {}", "export const onEvent = () => 1"],
  // Without capabilities it would be no destination any more.
  clearedCapabilities: "stays",
});

export const frontendApp = pluginCases({
  kind: "FrontendApp",
  collection: "pipeline_frontend_apps",
  update: "patch",
  order: "new first",
  code: ["site.ts", "export const inject = 1", "export const inject = 2"],
  capabilities: [{ site: 1 }, { site: 2 }, { site: 3 }],
  clearedCapabilities: { to: {} },
});

export const importApp = pluginCases({
  kind: "ImportApp",
  collection: "pipeline_import_apps",
  update: "replacement",
  order: "new first",
  code: ["index.ts", "", ""],
  capabilities: [
    { methods: [], scheduled_tasks: ["runEveryHour"] },
    { methods: [], scheduled_tasks: ["runEveryDay"] },
    { methods: [], scheduled_tasks: ["runEveryMinute"] },
  ],
  clearedCapabilities: "replacement",
});
