import type { z } from "zod";
import {
  email,
  instant,
  isSecret,
  level,
  named,
  secret,
  tagSet,
  text,
  uuid,
} from "../../src/engine/values/fields";

const restriction = named({ everyone: 21, collaborators: 37 });
const UUID = "018f3d2c-0000-4000-8000-00000000abcd";

/** Schema, what is written, what it becomes. */
const canonical: [string, z.ZodType, unknown, unknown][] = [
  ["text", text(), "  Growth\t\n", "Growth"],
  ["text", text(), "a  b", "a  b"],
  ["instant", instant(), "2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T00:00:00z", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T02:00:00+02:00", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-30T18:30:00-0530", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T00:00Z", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T00:00:00.250Z", "2026-01-31T00:00:00.250000Z"],
  ["instant", instant(), "2026-01-31T00:00:00.1234567Z", "2026-01-31T00:00:00.123456Z"],
  ["instant", instant(), "2026-01-31T00:00:00.100000Z", "2026-01-31T00:00:00.100000Z"],
  ["instant", instant(), " 2026-01-31 00:00:00+00:00 ", "2026-01-31T00:00:00Z"],
  ["instant", instant(), "2026-01-31T00:00:00+00:00", "2026-01-31T00:00:00Z"],
  ["email", email(), "Ada.Lovelace@EXAMPLE.Com", "Ada.Lovelace@example.com"],
  ["email", email(), " ada@example.com ", "ada@example.com"],
  ["tags", tagSet(), ["b", "A", " a "], ["a", "b"]],
  ["tags", tagSet(), ["Ärger", "ärger"], ["ärger"]],
  ["tags", tagSet(), [], []],
  ["uuid", uuid(), UUID.toUpperCase(), UUID],
  ["uuid", uuid(), ` ${UUID} `, UUID],
  ["level", level(), "member", 1],
  ["level", level(), "admin", 8],
  ["level", level(), 15, 15],
  ["restriction", restriction, "collaborators", 37],
  ["restriction", restriction, 21, 21],
];
test.each(canonical)("%s %# becomes what the service keeps", (_, schema, given, kept) => {
  expect(schema.parse(given)).toEqual(kept);
  expect(schema.parse(kept)).toEqual(kept);
});

const refused: [string, z.ZodType, unknown, RegExp][] = [
  ["text", text({ max: 3 }), "long", /./],
  ["text", text({ min: 1 }), "  ", /./],
  ["text", text(), 7, /./],
  ["instant", instant(), "2026-01-31T00:00:00", /with a zone/],
  ["instant", instant(), "2026-01-31", /with a zone/],
  ["instant", instant(), "tomorrow", /ISO 8601/],
  ["instant", instant(), "2026-13-31T00:00:00Z", /ISO 8601/],
  ["instant", instant(), "2026-02-30T00:00:00Z", /ISO 8601/],
  ["instant", instant(), "Jan 31 2026 00:00:00 +01:00", /ISO 8601/],
  ["instant", instant(), "2026-01-31T25:00:00Z", /ISO 8601/],
  ["email", email(), "ada", /e-mail/],
  ["email", email(), "ada@localhost", /e-mail/],
  ["email", email(), "a b@example.com", /e-mail/],
  ["email", email(), `${"a".repeat(250)}@example.com`, /./],
  ["tags", tagSet(), ["a", ""], /./],
  ["tags", tagSet(), ["x".repeat(256)], /./],
  ["tags", tagSet(), [1], /./],
  ["uuid", uuid(), "018f3d2c", /UUID/],
  ["level", level(), 37, /1 \("member"\), 8 \("admin"\), 15 \("owner"\)/],
  ["level", level(), "Owner", /15 \("owner"\)/],
  ["restriction", restriction, 15, /21 \("everyone"\), 37 \("collaborators"\)/],
];
test.each(refused)("%s %# is refused with what is allowed", (_, schema, given, message) => {
  const parsed = schema.safeParse(given);
  expect(parsed.success).toBe(false);
  expect(parsed.error?.issues[0]?.message).toMatch(message);
});

test("a schema is secret where it was marked, and nowhere else", () => {
  expect(isSecret(secret(text()))).toBe(true);
  expect(isSecret(text())).toBe(false);
});
