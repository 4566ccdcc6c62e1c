import { bench, closeAll, S3, validationError, type Bench } from "./support";

/** Values at the edges of what a field takes, with the answers of Django REST Framework 3.15 itself. */

afterEach(closeAll);

type Send = (at: Bench, value: unknown) => ReturnType<Bench["ask"]>;

const dashboardName: Send = ({ ask, project }, name) => ask("POST", `${project}/dashboards/`, { name });
const pinned: Send = ({ ask, project }, value) => ask("POST", `${project}/dashboards/`, { pinned: value });
const level: Send = ({ ask, project }, value) =>
  ask("POST", `${project}/dashboards/`, { restriction_level: value });
const logo: Send = ({ ask }, id) => ask("POST", "/api/organizations/", { name: "a", logo_media_id: id });
const address: Send = ({ ask, organization }, target) =>
  ask("POST", `${organization}/invites/`, { target_email: target });
const copied: Send = ({ ask, project }, id) => ask("POST", `${project}/dashboards/`, { use_dashboard: id });
const start: Send = ({ ask, organization }, at) =>
  ask("POST", `${organization}/batch_exports/`, {
    name: "a",
    destination: S3,
    interval: "hour",
    start_at: at,
  });
const config: Send = ({ ask, organization }, value) =>
  ask("POST", `${organization}/batch_exports/`, {
    name: "a",
    destination: { type: "NoOp", config: value },
    interval: "hour",
  });
const schema: Send = ({ ask, organization }, value) =>
  ask("POST", `${organization}/pipeline_destinations/`, { name: "a", config_schema: value });

const NO_EMAIL = "Enter a valid email address.";
const NO_TIME = expect.stringContaining("Datetime has wrong format.");
const NO_CHOICE = (shown: string) => `"${shown}" is not a valid choice.`;

const refused: [what: string, send: Send, value: unknown, code: string, detail: unknown, attr: string][] = [
  [
    "half a character",
    dashboardName,
    "a\ud800b",
    "surrogate_characters_not_allowed",
    "Surrogate characters are not allowed: U+D800.",
    "name",
  ],
  [
    "a null character",
    dashboardName,
    "a\0b",
    "null_characters_not_allowed",
    "Null characters are not allowed.",
    "name",
  ],
  ["a boolean of two words", pinned, " true", "invalid_input", "Must be a valid boolean.", "pinned"],
  ["a boolean for a level", level, true, "invalid_choice", NO_CHOICE("True"), "restriction_level"],
  ["a list for a level", level, ["a", null], "invalid_choice", NO_CHOICE("['a', None]"), "restriction_level"],
  [
    "a boolean for a logo",
    logo,
    true,
    "incorrect_type",
    "Incorrect type. Expected pk value, received bool.",
    "logo_media_id",
  ],
  [
    "a number for a logo",
    logo,
    5,
    "does_not_exist",
    'Invalid pk "5" - object does not exist.',
    "logo_media_id",
  ],
  [
    "an object for a logo",
    logo,
    { a: 1 },
    "invalid_input",
    "“{'a': 1}” is not a valid UUID.",
    "logo_media_id",
  ],
  ["a boolean for an address", address, true, "invalid_input", NO_EMAIL, "target_email"],
  ["a domain that ends in a dash", address, "a@b.c-", "invalid_input", NO_EMAIL, "target_email"],
  ["a domain of one label", address, "a@b", "invalid_input", NO_EMAIL, "target_email"],
  ["a literal that is no address", address, "a@[300.0.0.1]", "invalid_input", NO_EMAIL, "target_email"],
  ["letters beyond ASCII before the @", address, "ä@b.co", "invalid_input", NO_EMAIL, "target_email"],
  ["a label of 64 letters", address, `a@${"x".repeat(64)}.de`, "invalid_input", NO_EMAIL, "target_email"],
  [
    "a number of more than 1000 digits",
    copied,
    "1".repeat(1001),
    "max_string_length",
    "String value too large.",
    "use_dashboard",
  ],
  ["a small z", start, "2024-03-01T10:00:00z", "invalid_input", NO_TIME, "start_at"],
  ["a padded time", start, " 2024-03-01T10:00:00Z", "invalid_input", NO_TIME, "start_at"],
  ["a day that is not", start, "2024-02-30", "invalid_input", NO_TIME, "start_at"],
  ["the year 0", start, "0000-01-01T00:00:00Z", "invalid_input", NO_TIME, "start_at"],
  [
    "a time after the year 9999",
    start,
    "9999-12-31T23:59:59-05:00",
    "overflow",
    "Datetime value out of range.",
    "start_at",
  ],
  [
    "a time before the year 1",
    start,
    "0001-01-01T00:00:00+05:00",
    "overflow",
    "Datetime value out of range.",
    "start_at",
  ],
  [
    "a configuration that is a text",
    config,
    "raw/",
    "not_a_dict",
    'Expected a dictionary of items but got type "str".',
    "destination__config",
  ],
];

test.each(refused)("%s is refused", async (_, send, value, code, detail, attr) => {
  const answer = await send(await bench(), value);
  expect(answer.status).toBe(400);
  expect(answer.json).toEqual(validationError(code, detail, attr));
});

const taken: [what: string, send: Send, value: unknown, name: string, back: unknown][] = [
  ["a byte order mark", dashboardName, "\ufeffx", "name", "\ufeffx"],
  ["a separator at the edge", dashboardName, "\u001cx\u0085", "name", "x"],
  ["400 letters of two halves", dashboardName, "😀".repeat(400), "name", "😀".repeat(400)],
  ["an empty text for a logo", logo, "", "logo_media_id", null],
  ["localhost", address, "a@localhost", "target_email", "a@localhost"],
  ["an address in numbers", address, "a@[127.0.0.1]", "target_email", "a@[127.0.0.1]"],
  ["a domain in other letters", address, "a@MÜNCHEN.de", "target_email", "a@münchen.de"],
  ["a quoted name", address, '"a,b"@c.de', "target_email", '"a,b"@c.de'],
  ["an hour alone", start, "2024-03-01T10", "start_at", "2024-03-01T10:00:00Z"],
  ["no dashes and colons", start, "20240301T101010Z", "start_at", "2024-03-01T10:10:10Z"],
  ["single digits", start, "2024-3-1 1:05Z", "start_at", "2024-03-01T01:05:00Z"],
  ["the first year", start, "0001-01-01T00:00:00Z", "start_at", "0001-01-01T00:00:00Z"],
  ["a configuration of null", config, null, "destination", { type: "NoOp", config: {} }],
  ["a schema of null", schema, null, "config_schema", null],
];

test.each(taken)("%s is taken", async (_, send, value, name, back) => {
  const answer = await send(await bench(), value);
  expect([answer.status, answer.json[name]]).toEqual([201, back]);
});

test.each(["POST", "PATCH"])("null for a whole body of %s is no data", async (method) => {
  const { ask, project } = await bench();
  await ask("POST", `${project}/dashboards/`, {});
  const answer = await ask(method, `${project}/dashboards/${method === "PATCH" ? "1/" : ""}`, "null");
  expect(answer.status).toBe(400);
  expect(answer.json).toEqual(validationError("null", "No data provided"));
});

describe("a PATCH of an export's destination", () => {
  async function patched(destination: unknown, shapes: "documented" | "upstream") {
    const { ask, project } = await bench({ shapes });
    const path = `${project}/batch_exports/`;
    const { json } = await ask("POST", path, { name: "a", destination: S3, interval: "hour" });
    return ask("PATCH", `${path}${json.id}/`, { destination });
  }

  describe.each(["documented", "upstream"] as const)("in %s shapes", (shapes) => {
    test.each([
      ["its configuration alone", { config: { prefix: "new/" } }, { ...S3.config, prefix: "new/" }],
      ["its type alone", { type: "S3" }, S3.config],
      ["nothing", {}, S3.config],
    ])("may name %s", async (_, destination, back) => {
      const { status, json } = await patched(destination, shapes);
      expect([status, json.destination]).toEqual([200, { type: "S3", config: back }]);
    });

    test("has to be an object", async () => {
      const { status, json } = await patched([], shapes);
      expect(status).toBe(400);
      const detail = "Invalid data. Expected a dictionary, but got list.";
      expect(json).toEqual(validationError("invalid_input", detail, "destination__non_field_errors"));
    });
  });

  test("that is a PUT needs the type", async () => {
    const { ask, organization } = await bench();
    const path = `${organization}/batch_exports/`;
    const body = { name: "a", destination: S3, interval: "hour" };
    const { json } = await ask("POST", path, body);
    const answer = await ask("PUT", `${path}${json.id}/`, { ...body, destination: { config: {} } });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual(validationError("required", "This field is required.", "destination__type"));
  });
});
