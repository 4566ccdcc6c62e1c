import { VARIABLES } from "../../src/client/naming";
import { ingestHost, managementHost, settingsFor } from "../../src/client/settings";
import { definitions } from "../../src/resources/definitions";
import { posthogPolicies } from "../../src/policy";
import { quoted, table } from "./readme";

test("the table of resources is the registry, in its order", () => {
  const classes = table("Resources").flatMap(([cell = ""]) => quoted(cell));
  expect(classes).toEqual(definitions.map(({ type }) => type));
});

/** Replacements that are no argument of their own: found by the kind's judgement. */
const JUDGED: Readonly<Record<string, readonly string[]>> = { BatchExport: ["destination.type"] };

test.each(table("Resources").flatMap((row) => quoted(row[0] ?? "").map((type) => [type, row] as const)))(
  "%s is updated and replaced as its row says",
  (type, [, , updated = "", replaced = ""]) => {
    const definition = definitions.find((candidate) => candidate.type === type);
    if (definition === undefined) throw new Error(`no ${type}`);
    const { replaceOnChanges, update, deleteBeforeReplace = false } = definition;
    expect(updated).toBe(
      update === "none" ? "nothing" : replaceOnChanges.length === 0 ? "everything" : "everything else",
    );
    expect(replaced.includes("old one first")).toBe(deleteBeforeReplace);
    const said = replaced.replace(/ \(.*\)$|:.*$/, "");
    if (update === "none") expect(said).toBe("everything");
    else if (replaceOnChanges.length === 0) expect(said).toBe("nothing");
    else expect(quoted(said).sort()).toEqual([...replaceOnChanges, ...(JUDGED[type] ?? [])].sort());
  },
);

const rows = table("Configuration").map(([key = "", variable = "", standard = ""]) => ({
  key: quoted(key)[0]?.replace("posthog:", "") ?? "",
  variable: quoted(variable)[0],
  standard,
}));

test("the table of configuration has every key and variable, and no other", () => {
  const variables = rows.filter(({ variable }) => variable !== undefined);
  expect(Object.fromEntries(variables.map(({ key, variable }) => [key, variable]))).toEqual(VARIABLES);
  const others = rows.filter(({ variable }) => variable === undefined).map(({ key }) => key);
  expect(others).toEqual(["requestDeadline", "requestsPerMinute", "connections"]);
});

test.each(rows.filter(({ variable }) => variable !== undefined))(
  "$key is read from the configuration, then from $variable",
  ({ key, variable = "" }) => {
    const environment = { [variable]: "from-environment" };
    expect(settingsFor(undefined, () => undefined, environment)).toEqual({ [key]: "from-environment" });
    const configured = (asked: string) => (asked === `posthog:${key}` ? "from-configuration" : undefined);
    expect(settingsFor(undefined, configured, environment)).toEqual({ [key]: "from-configuration" });
    expect(settingsFor(undefined, () => undefined, {})).toEqual({});
  },
);

test("hosts default by region as the table says", () => {
  const standardOf = (key: string) => quoted(rows.find((row) => row.key === key)?.standard ?? "");
  const regions = [{}, { region: "eu" }].map((settings) => [managementHost(settings), ingestHost(settings)]);
  expect(regions.map(([host]) => host?.origin)).toEqual(standardOf("host"));
  expect(regions.map(([, ingest]) => ingest?.origin)).toEqual(standardOf("ingestHost"));
  expect(standardOf("region")).toEqual(["us"]);
});

test("every key of a connection is one of the table", () => {
  const keys = rows.map(({ key }) => key).filter((key) => key !== "connections");
  const entry = Object.fromEntries(keys.map((key) => [key, key.startsWith("request") ? 1 : "text"]));
  const read = (asked: string) =>
    asked === "posthog:connections" ? JSON.stringify({ eu: entry }) : undefined;
  expect(settingsFor("eu", read, {})).toEqual({ ...entry, connection: "eu" });
});

test("the table of policies has every policy with its option and settings, in their order", () => {
  const said = table("Guard it by policy").map(([name = "", , , settings = ""]) => [
    quoted(name)[0],
    quoted(settings),
  ]);
  const real = posthogPolicies().map(({ name, configSchema }) => [
    name,
    Object.keys(configSchema?.properties ?? {}).filter((setting) => setting !== "except"),
  ]);
  expect(said).toEqual(real);
  for (const [name = "", option = ""] of table("Guard it by policy")) {
    const without = posthogPolicies({ [quoted(option)[0] ?? ""]: false }).map((policy) => policy.name);
    expect(without).toEqual(real.map(([policy]) => policy).filter((policy) => policy !== quoted(name)[0]));
  }
});
