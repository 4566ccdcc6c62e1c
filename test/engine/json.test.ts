import { runtime } from "@pulumi/pulumi";
import { at, isEmpty, isSame, toJson, toJsonObject } from "../../src/engine/values/json";
import { hasUnknown, UNKNOWN } from "../../src/engine/values/unknown";

test.each<[unknown, unknown]>([
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: null }, { a: 1 }],
  [{ a: { b: { c: null } } }, { a: { b: {} } }],
  [null, undefined],
  [null, ""],
  [[], null],
  [{}, undefined],
  [
    [1, { a: null, b: [2] }],
    [1, { b: [2] }],
  ],
  [0, 0],
  [false, false],
])("%j and %j mean the same", (a, b) => {
  expect(isSame(a, b)).toBe(true);
  expect(isSame(b, a)).toBe(true);
});

test.each<[unknown, unknown]>([
  [1, "1"],
  [0, null],
  [false, null],
  [false, ""],
  [
    [1, 2],
    [2, 1],
  ],
  [[1], [1, 1]],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: 1, b: 0 }],
  [{ 0: 1 }, [1]],
  ["a", "A"],
  [[null], []],
])("%j and %j are a difference", (a, b) => {
  expect(isSame(a, b)).toBe(false);
  expect(isSame(b, a)).toBe(false);
});

test.each([undefined, null, "", [], {}, { a: undefined, b: null }])("%j is empty", (value) => {
  expect(isEmpty(value)).toBe(true);
});
test.each([0, false, " ", [null], { a: "" }])("%j is not empty", (value) => {
  expect(isEmpty(value)).toBe(false);
});

test("what reaches the engine is JSON, whatever it was", () => {
  const moment = new Date("2026-01-31T00:00:00Z");
  const dirty = {
    gone: undefined,
    big: 12n,
    moment,
    list: [undefined, Number.NaN, moment],
    deep: { gone: undefined, run: () => 1 },
    text: "x",
  };
  expect(toJsonObject(dirty)).toStrictEqual({
    big: "12",
    moment: "2026-01-31T00:00:00.000Z",
    list: [null, null, "2026-01-31T00:00:00.000Z"],
    deep: { run: null },
    text: "x",
  });
  expect(toJson(undefined)).toBeNull();
});

test("a dotted path reads inside objects and nowhere else", () => {
  expect(at({ user: { uuid: "u" } }, "user.uuid")).toBe("u");
  expect(at({ user: null }, "user.uuid")).toBeUndefined();
  expect(at([{ id: 1 }], "0.id")).toBeUndefined();
});

test.each<[unknown, boolean]>([
  [UNKNOWN, true],
  [`arn:${UNKNOWN}:x`, true],
  [[1, { a: [UNKNOWN] }], true],
  [{ a: { b: UNKNOWN } }, true],
  ["04da6b54", false],
  [{ a: [1, null, "x"] }, false],
  [undefined, false],
])("unknowns are seen at any depth (%j)", (value, unknown) => {
  expect(hasUnknown(value)).toBe(unknown);
});

test("the text for an unknown is Pulumi's", () => {
  expect(runtime).toHaveProperty("unknownValue", UNKNOWN);
});
