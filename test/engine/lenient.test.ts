import { z } from "zod";
import { level, text } from "../../src/engine/values/fields";
import { mended, numberOf, parseLeniently } from "../../src/engine/values/lenient";

const nested = z.array(z.object({ id: z.number(), name: z.string(), on: z.boolean().optional() }));

test.each<[string, z.ZodType, unknown, unknown]>([
  ["what fits", level(), 8, 8],
  ["a number as text", level(), "8", 8],
  ["a name stays a name", level(), "admin", 8],
  ["a negative number and a fraction", z.number(), "-1.5", -1.5],
  ["a boolean as text", z.boolean(), "false", false],
  ["a text as number", text(), 12, "12"],
  ["deep inside", nested, [{ id: "1", name: 2, on: "true" }], [{ id: 1, name: "2", on: true }]],
])("%s", (_, schema, value, expected) => {
  expect(parseLeniently(schema, value)).toMatchObject({ data: expected });
});

test.each<[string, z.ZodType, unknown]>([
  ["no number", z.number(), "8 days"],
  ["nothing", z.number(), ""],
  ["another number than those allowed", level(), "9"],
  ["an object for a text", text(), { a: 1 }],
  ["null", z.number(), null],
])("%s does not fit", (_, schema, value) => {
  expect(parseLeniently(schema, value)).toBeUndefined();
});

test("what can be mended is, beside what cannot", () => {
  const schema = z.object({ port: z.number(), password: z.string() });
  expect(mended(schema, { port: "5432", host: "h" })).toEqual({ port: 5432, host: "h" });
});

test.each([
  [8, 8],
  ["8", 8],
  ["", undefined],
  [null, undefined],
  ["x", undefined],
])("the number of %j is %j", (value, number) => expect(numberOf(value)).toBe(number));
