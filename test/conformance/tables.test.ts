import { definitions } from "../../src/resources/definitions";
import { kinds } from "./cases";
import { differing } from "./life/instances";

/** Tested in test/conformance/adoption.test.ts; `connection` is the same code for every kind, and Dashboard's has it. */
const ELSEWHERE = ["adoptId", "connection"];

test("every kind of the registry has its cases, and every case a kind", () => {
  const [registered, tested] = [definitions.map(({ type }) => type), kinds.map(({ kind }) => kind)];
  const missing = registered.filter((type) => !tested.includes(type));
  expect(missing.map((type) => `no file of test/conformance/cases has the cases of ${type}`)).toEqual([]);
  expect(tested).toEqual(registered);
});

test.each(kinds.map((kind) => [kind.kind, kind] as const))("%s: no argument is left out", (_, kind) => {
  const given = definitions.find(({ type }) => type === kind.kind);
  const tested = new Set(kind.arguments.flatMap(differing));
  for (const name of ELSEWHERE) tested.delete(name);
  expect([...tested].sort()).toEqual(Object.keys(given?.inputs ?? {}).sort());
});
