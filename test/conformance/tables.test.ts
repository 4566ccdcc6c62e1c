import { definitions } from "../../src/resources/definitions";
import { kinds } from "./cases";

/** Tested in test/conformance/adoption.test.ts; `connection` is the same code for every kind, and Dashboard's has it. */
const ELSEWHERE = ["adoptId", "connection"];

test("the tables have the nine kinds", () => {
  expect(kinds).toHaveLength(9);
  expect(definitions.map(({ type }) => type)).toEqual(expect.arrayContaining(kinds.map(({ kind }) => kind)));
});

test.each(kinds.map((kind) => [kind.kind, kind] as const))("%s: no argument is left out", (_, kind) => {
  const given = definitions.find(({ type }) => type === kind.kind);
  const tested = new Set(kind.arguments.map(({ argument }) => argument.split(".")[0]));
  for (const name of ELSEWHERE) tested.delete(name);
  expect([...tested].sort()).toEqual(Object.keys(given?.inputs ?? {}).sort());
});
