import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { type Args, rows, type KindCases } from "./cases";
import { ending, openScene, step, WELL } from "./scene";
import { made, settled } from "./world";

/* Taking over what exists already: by `adoptId`, and by Pulumi's own `import` option. */

/** An object that someone else has made, and arguments that say the same, and other ones. */
interface Existing {
  readonly body: (name: string) => Args;
  readonly equal: (name: string) => Args;
  /** What the program wants beyond that, and how preview names it; or what cannot be changed in place. */
  readonly differing: Args;
  readonly named: string;
  readonly patch?: unknown;
}

const plugin = (name: string) => ({ plugin_type: "source", name: `Plugin of ${name}`, description: "There" });
const pluginArgs = (name: string) => ({
  pluginType: "source",
  name: `Plugin of ${name}`,
  description: "There",
});
const patched = {
  differing: { description: "Ours" },
  named: 'description: "There" → "Ours"',
  patch: { description: "Ours" },
};
const s3 = { bucket_name: "lake", region: "r", prefix: "p/", aws_secret_access_key: "hush" };

const existing: Readonly<Record<string, Existing>> = {
  Dashboard: {
    body: (name) => ({ name, description: "There", tags: ["There", "b"], filters: { date_from: "-7d" } }),
    equal: (name) => ({ name, description: "There", tags: ["b", "there"], filters: { date_from: "-7d" } }),
    ...patched,
  },
  Organization: {
    body: (name) => ({ name, enforce_2fa: true }),
    equal: (name) => ({ name, enforce2fa: true }),
    differing: { enforce2fa: false },
    named: "enforce2fa: true → false",
    patch: { enforce_2fa: false },
  },
  BatchExport: {
    body: (name) => ({ name, interval: "hour", destination: { type: "S3", config: s3 } }),
    equal: (name) => ({
      name,
      interval: "hour",
      destination: {
        type: "S3",
        config: { bucketName: "lake", region: "r", prefix: "p/", awsSecretAccessKey: { $secret: "unknown" } },
      },
    }),
    differing: { interval: "day" },
    named: 'interval: "hour" → "day"',
    patch: { interval: "day" },
  },
  Domain: {
    body: (name) => ({ domain: `${name.toLowerCase()}.adopted.example`, saml_entity_id: "urn:there" }),
    equal: (name) => ({ domain: `${name.toLowerCase()}.adopted.example`, samlEntityId: "urn:there" }),
    differing: { samlEntityId: "urn:ours" },
    named: 'samlEntityId: "urn:there" → "urn:ours"',
    patch: { saml_entity_id: "urn:ours" },
  },
  Invite: {
    body: (name) => ({ target_email: `${name.toLowerCase()}@adopted.example`, level: 8 }),
    equal: (name) => ({ targetEmail: `${name.toLowerCase()}@adopted.example`, level: "admin" }),
    differing: { level: "member" },
    named: "level cannot be changed in place and differs. Write what is there (level: 8)",
  },
  Member: {
    body: () => ({}),
    equal: (name) => ({ userUuid: { $world: joinedAs[name] ?? "" }, level: "member" }),
    differing: { level: "admin" },
    named: "level: 1 → 8",
    patch: { level: 8 },
  },
  PipelineDestination: { body: plugin, equal: pluginArgs, ...patched },
  FrontendApp: { body: plugin, equal: pluginArgs, ...patched },
  ImportApp: {
    body: plugin,
    equal: pluginArgs,
    differing: { description: "Ours" },
    named: 'description cannot be changed in place and differs. Write what is there (description: "There")',
  },
};
const joinedAs: Readonly<Record<string, string>> = {
  Equal: "first@members.example",
  Imported: "second@members.example",
  Differing: "level@members.example",
};

const scene = openScene();
const ids = new Map<string, string>();
const patchable = rows.filter(({ kind }) => existing[kind]?.patch !== undefined);
const stuck = rows.filter(({ kind }) => existing[kind]?.patch === undefined);

beforeAll(async () => {
  for (const kind of rows)
    for (const name of Object.keys(joinedAs)) ids.set(`${kind.kind} ${name}`, await there(kind, name));
});

async function there({ kind, path }: KindCases, name: string): Promise<string> {
  if (kind === "Member") return scene.named(joinedAs[name] ?? "");
  return String((await made(scene.emulator, scene.path({ path }), existing[kind]?.body(name)))["id"]);
}

function declare(
  kind: string,
  name: string,
  more: Args = {},
  adopt: "adoptId" | "import" | "no" = "adoptId",
): Declared {
  const id = ids.get(`${kind} ${name}`);
  const args = { ...existing[kind]?.equal(name), ...more, ...(adopt === "adoptId" ? { adoptId: id } : {}) };
  return {
    class: kind,
    name: `${kind} ${name}`,
    args: settled(scene.world, args) as Args, // an object stays one
    opts: adopt === "import" ? { import: id } : {},
  };
}

const program = (adopt: "adoptId" | "no" = "adoptId"): Declared[] => [
  ...rows.map(({ kind }) => declare(kind, "Equal", {}, adopt)),
  ...rows.map(({ kind }) => declare(kind, "Imported", {}, adopt === "no" ? "no" : "import")),
  ...patchable.map(({ kind }) => declare(kind, "Differing", existing[kind]?.differing, adopt)),
];

describe.each(stuck.map(({ kind }) => [kind]))("adoption of a %s that differs", (kind) => {
  const shared = scene.running(() => {
    scene.stack.declare([declare(kind, "Differing", existing[kind]?.differing)]);
    return scene.stack.preview();
  });
  it("is refused at preview, with what is there", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toContain(
      `adopting ${ids.get(`${kind} Differing`)} as ${kind} "${kind} Differing"`,
    );
    expect(shared.run.errors).toContain(existing[kind]?.named);
  });
});

describe("adoption of a BatchExport of another type", () => {
  const shared = scene.running(() => {
    const destination = { type: "NoOp", config: { arg: { $secret: "hush-in-config" } } };
    scene.stack.declare([declare("BatchExport", "Differing", { destination })]);
    return scene.stack.preview();
  });
  it("is refused at preview, and shows no secret", () => {
    expect(shared.run.errors).toContain("destination cannot be changed in place and differs");
    expect(shared.run.output).not.toContain("hush");
  });
});

describe("a preview of adoptions", () => {
  const shared = scene.running(() => {
    scene.stack.declare(program());
    return scene.stack.preview();
  });
  const said = (name: string) =>
    shared.run.diagnostics
      .map(({ message }) => message)
      .filter((line) => line.includes(`"${name}" takes over `));

  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
  it.each(patchable.map(({ kind }) => [kind]))("names what it would change in the %s", (kind) => {
    const id = ids.get(`${kind} Differing`);
    const line = `${kind} "${kind} Differing" takes over ${id} and changes ${existing[kind]?.named}`;
    expect(said(`${kind} Differing`)).toEqual([line]);
  });
  it.each(rows.flatMap(({ kind }) => [[`${kind} Equal`], [`${kind} Imported`]]))(
    "says that %s stays",
    (name) => {
      expect(said(name)).toEqual([expect.stringContaining("as it is, without a change")]);
    },
  );
});

describe("an up of adoptions", () => {
  const shared = scene.running(() => scene.stack.up());
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("keeps the ids", () => {
    for (const { name } of program())
      expect([name, step(shared.run, { name }, "create").new?.id]).toEqual([name, ids.get(name)]);
  });
  it("writes what differs and nothing else", () => {
    const sent = writes(scene.emulator).map(({ method, path, body }) => [
      method,
      path.split("/").at(-2),
      body,
    ]);
    const expected = patchable.map(({ kind }) => [
      "PATCH",
      ids.get(`${kind} Differing`),
      existing[kind]?.patch,
    ]);
    expect(sent).toHaveLength(expected.length);
    expect(sent).toEqual(expect.arrayContaining(expected));
  });
});

describe("an up after it, adoptId still there", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("changes nothing", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe.each([
  ["Dashboard", { useTemplate: "DEFAULT_APP" }, "useTemplate"],
  ["Domain", { domain: "elsewhere.adopted.example" }, "domain"],
  ["Invite", { level: "owner" }, "level"],
])("a change of a %s that replaces, adoptId still there", (kind, change, argument) => {
  const shared = scene.running(() => {
    scene.stack.declare([
      declare(kind, "Equal", change),
      ...program().filter(({ name }) => name !== `${kind} Equal`),
    ]);
    return scene.stack.preview();
  });
  it("is refused at preview", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toMatch(
      new RegExp(
        `${kind} "${kind} Equal" .* is already adopted, and a change of ${argument}.*take adoptId out`,
      ),
    );
  });
});

describe("a second adoption of the same object", () => {
  const shared = scene.running(() => {
    const again = { ...declare("Dashboard", "Equal"), name: "Dashboard again" };
    scene.stack.declare([...program(), again]);
    return scene.stack.preview();
  });
  it("is refused at preview", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toContain("another resource of this stack already manages it");
  });
});

describe("adoption of what is not there", () => {
  const shared = scene.running(() => {
    const lost = { class: "Dashboard", name: "lost", args: { name: "Lost", adoptId: "99999" } };
    scene.stack.declare([...program(), lost]);
    return scene.stack.preview();
  });
  it("is refused at preview", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toContain('adopting 99999 as Dashboard "lost": there is no such object');
  });
});

describe("an up with adoptId and import taken out", () => {
  const shared = scene.running(() => {
    scene.stack.declare(program("no"));
    return scene.stack.up();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("replaces nothing", () => {
    const ops = new Set(shared.run.steps.map(({ op }) => op));
    expect([...ops].filter((op) => op !== "same" && op !== "update")).toEqual([]);
  });
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});
