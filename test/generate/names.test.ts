import { identifierOf, Names, slug } from "../../src/generate/names";
import { KINDS, LEFT_OUT, referredType } from "../../src/generate/kinds";
import { definitions } from "../../src/resources/definitions";
import type { Existing } from "../../src/generate/existing";

test.each([
  ["Growth", "growth"],
  ["  Growth & more -- ", "growth-more"],
  ["Größe Ço", "große-co"],
  ["İstanbul", "istanbul"],
  ["ﬁrst ① step", "first-1-step"],
  ["売上 2024", "売上-2024"],
  ["한국어", "한국어"],
  ["नमस्ते", "नमस्ते"],
  ["🚀🔥❤️1️⃣", "1"],
  ["👩‍👩‍👧", ""],
  ["", ""],
  ["__proto__", "proto"],
  ["a".repeat(400), "a".repeat(48)],
  [`${"long ".repeat(20)}name`, "long-long-long-long-long-long-long-long-long"],
])("%j is called %j", (text, expected) => {
  expect(slug(text)).toBe(expected);
});

test.each([
  ["growth-more", "growthMore"],
  ["große-co", "großeCo"],
  ["売上-2024", "売上2024"],
  ["नमस्ते", "नमस्ते"],
  ["2024-goals", undefined],
  ["", undefined],
  ["class", undefined],
  ["then", undefined],
  ["global-this", undefined],
  ["require", undefined],
  ["pulumi", undefined],
])("%j is the variable %j", (name, expected) => {
  expect(identifierOf(name)).toBe(expected);
});

test("whatever slug makes is no word of the language by accident, or is refused", () => {
  for (const word of ["await", "let", "static", "yield", "enum", "null", "this", "arguments", "eval"])
    expect(identifierOf(slug(word))).toBeUndefined();
});

const dashboards = KINDS.find(({ type }) => type === "Dashboard");

function dashboard(id: string, name: string, project = "1"): Existing {
  if (dashboards === undefined) throw new Error("no Dashboard");
  const key = `Dashboard ${project}/${id}`;
  return { kind: dashboards, id, key, object: { name }, place: { projectId: project }, parent: undefined };
}

test("each name is given once, and every variable once", () => {
  const names = new Names(new Map());
  const all = ["Growth", "growth!", "GROWTH", "class", "🚀", "🔥", "growth 2"].map((name, index) =>
    names.of(dashboard(String(index + 1), name), undefined),
  );
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(new Set(all.map(({ identifier }) => identifier)).size).toBe(all.length);
  expect(all.map(({ name }) => name)).toEqual([
    "growth",
    "growth-2",
    "growth-3",
    "class",
    "dashboard-5",
    "dashboard-6",
    "growth-2-7",
  ]);
});

test("another project's dashboard of the same name is called by its project", () => {
  const names = new Names(new Map());
  names.of(dashboard("1", "Growth"), undefined);
  expect(names.of(dashboard("2", "Growth", "2"), "Staging")).toEqual({
    name: "growth-staging",
    identifier: "growthStaging",
  });
});

test("names of an earlier run stay, whatever an object is called now", () => {
  const names = new Names(new Map([["Dashboard 1/7", { name: "kpis", identifier: "kpis" }]]));
  expect(names.of(dashboard("8", "KPIs"), undefined)).toEqual({ name: "kpis-8", identifier: "kpis8" });
  expect(names.of(dashboard("7", "Renamed"), undefined)).toEqual({ name: "kpis", identifier: "kpis" });
});

test("every kind of the registry is written, or left out for a reason", () => {
  const written = KINDS.map(({ type }) => type);
  expect([...written, ...Object.keys(LEFT_OUT)].sort()).toEqual(definitions.map(({ type }) => type).sort());
});

test("what is referred to is written before", () => {
  const order = KINDS.map(({ type }) => type);
  for (const { type, definition } of KINDS) {
    for (const argument of Object.keys(definition.inputs)) {
      const referred = referredType(argument, type);
      if (referred !== undefined && order.includes(referred))
        expect(order.indexOf(referred)).toBeLessThan(order.indexOf(type));
    }
  }
});
