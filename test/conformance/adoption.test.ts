import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { adoptable, type Args } from "./cases";
import { ending, openScene, step, WELL } from "./scene";
import { settled } from "./world";

/* Taking over what exists already: by `adoptId`, and by Pulumi's own `import` option. */

const scene = openScene();
const ids = new Map<string, string>();
const existing = Object.fromEntries(adoptable.map((kind) => [kind.kind, kind.existing]));
const patchable = adoptable.filter(({ kind }) => existing[kind]?.patch !== undefined);
const stuck = adoptable.filter(({ kind }) => existing[kind]?.patch === undefined);

beforeAll(async () => {
  for (const kind of adoptable)
    for (const name of ["Equal", "Imported", "Differing"])
      ids.set(`${kind.kind} ${name}`, await scene.someoneHas(kind, name));
});

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
  ...adoptable.map(({ kind }) => declare(kind, "Equal", {}, adopt)),
  ...adoptable.map(({ kind }) => declare(kind, "Imported", {}, adopt === "no" ? "no" : "import")),
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
  it.each(adoptable.flatMap(({ kind }) => [[`${kind} Equal`], [`${kind} Imported`]]))(
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
    expect(shared.run.errors).toMatch(
      /another resource of this stack, "Dashboard Equal", already manages it\. .* adoptId out of "Dashboard again"/,
    );
  });
});

describe("two adoptions of an object that nobody manages yet", () => {
  const shared = scene.running(async () => {
    const dashboards = adoptable.filter(({ kind }) => kind === "Dashboard");
    const [adoptId] = await Promise.all(dashboards.map((kind) => scene.someoneHas(kind, "Both")));
    const both = ["one", "two"].map((name) => ({
      class: "Dashboard",
      name,
      args: { name: "Both", adoptId },
    }));
    scene.stack.declare([...program(), ...both]);
    return scene.stack.preview();
  });
  it("are refused at preview", () => {
    expect(shared.run.code).not.toBe(0);
    expect(shared.run.errors).toMatch(
      /another resource of this stack, "(one|two)", is to take it over too\./,
    );
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
