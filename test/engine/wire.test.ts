import { z } from "zod";
import {
  decodeOutputs,
  decodeValue,
  encodeArguments,
  encodeValue,
  idOf,
  liveArgument,
} from "../../src/engine/values/wire";
import { level, tagSet, text } from "../../src/engine/values/fields";
import { batchExport } from "../../src/resources/batch-export";
import { dashboard } from "../../src/resources/dashboard";
import { invite } from "../../src/resources/invite";
import { member } from "../../src/resources/member";
import { organization } from "../../src/resources/organization";

const nested = z.array(z.object({ projectId: z.number(), isMine: z.boolean().optional() })).optional();

test.each<[string, z.ZodType, unknown, unknown]>([
  [
    "keys that a schema declares",
    nested,
    [{ projectId: 1, isMine: true }],
    [{ project_id: 1, is_mine: true }],
  ],
  ["an optional key that is not there", nested, [{ projectId: 1 }], [{ project_id: 1 }]],
  [
    "a free form",
    z.record(z.string(), z.unknown()),
    { someKey: { innerKey: 1 } },
    { someKey: { innerKey: 1 } },
  ],
  ["anything", z.unknown(), [{ aB: null }], [{ aB: null }]],
  ["a plain value", text(), "x", "x"],
  ["a transformed one", tagSet(), ["a"], ["a"]],
  ["a named one", level(), 8, 8],
])("%s travels to the service and back", (_, schema, ours, theirs) => {
  expect(encodeValue(schema, ours)).toEqual(theirs);
  expect(decodeValue(schema, theirs)).toEqual(ours);
});

test("what the service adds to an object is left out", () => {
  expect(decodeValue(nested, [{ project_id: 1, api_token: "t", is_mine: null }])).toEqual([{ projectId: 1 }]);
});

test("a body holds what is declared, under the service's names", () => {
  expect(encodeArguments(dashboard, { name: "Growth", restrictionLevel: 37, unheardOf: 1 })).toEqual({
    name: "Growth",
    restriction_level: 37,
  });
  expect(
    encodeArguments(batchExport, {
      destination: { type: "Postgres", config: { host: "h", hasSelfSignedCert: true, tableName: undefined } },
    }),
  ).toEqual({ destination: { type: "Postgres", config: { host: "h", has_self_signed_cert: true } } });
  expect(
    encodeArguments(batchExport, {
      destination: { type: "AzureBlob", config: { someKey: { innerKey: [1] } } },
    }),
  ).toEqual({ destination: { type: "AzureBlob", config: { someKey: { innerKey: [1] } } } });
});

test.each([
  [dashboard, { tags: ["b", "a"] }, "tags", ["a", "b"]],
  [dashboard, { tags: null }, "tags", null],
  [dashboard, {}, "tags", null],
  [batchExport, { start_at: "2026-01-31T01:00:00+01:00" }, "startAt", "2026-01-31T00:00:00Z"],
  [organization, { enforce_2fa: false }, "enforce2fa", false],
  // What this version of the service has and we do not know is shown as it is.
  [dashboard, { restriction_level: 99 }, "restrictionLevel", 99],
])("the service's value is read in canonical form (%#)", (definition, object, name, value) => {
  expect(liveArgument(definition, object, name)).toEqual(value);
});

test("outputs are read leniently, and objects that do not fit are left out with what they may hold", () => {
  const answer = {
    slug: "acme",
    created_at: "2026-01-31T00:00:00Z",
    membership_level: "15",
    customer_id: null,
    teams: [{ id: 1, name: "Default", api_token: "phc_secret", timezone: "UTC" }],
    something_new: { token: "t" },
  };
  const outputs = decodeOutputs(organization.outputs, answer);
  expect(outputs).toEqual({
    slug: "acme",
    createdAt: "2026-01-31T00:00:00Z",
    membershipLevel: 15,
    teams: [{ id: 1, name: "Default", timezone: "UTC" }],
  });
  expect(decodeOutputs(organization.outputs, { teams: { token: "t" } })).toEqual({});
});

test.each([
  [dashboard, { id: 12 }, "12"],
  [invite, { id: "018f" }, "018f"],
  [member, { id: "membership", user: { uuid: "person" } }, "person"],
  [member, { id: "membership" }, undefined],
  [dashboard, { id: null }, undefined],
])("ids are the service's own, as text (%#)", (definition, object, id) => {
  expect(idOf(definition, object)).toBe(id);
});
