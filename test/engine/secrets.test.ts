import * as pulumi from "@pulumi/pulumi";
import { isSecretAt, isShowable, secretTexts } from "../../src/engine/messages/hush";
import { markSecrets, namesOfSecrets } from "../../src/engine/program/secrets";
import { batchExport } from "../../src/resources/batch-export";
import { dashboard } from "../../src/resources/dashboard";
import { definitions } from "../../src/resources/definitions";
import { destinationConfigs } from "../../src/resources/destinations";
import { frontendApp } from "../../src/resources/frontend-app";

type Props = Record<string, unknown>;

/** The paths of an argument that are wrapped as secrets. */
async function marked(value: unknown, path = ""): Promise<string[]> {
  if (pulumi.Output.isInstance(value)) return (await pulumi.isSecret(value)) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).map(([key, inner]) =>
    marked(inner, path === "" ? key : `${path}.${key}`),
  );
  return (await Promise.all(inside)).flat();
}

const token = "https://github.com/a/b?private_token=t";
const destination = (type: unknown, config: unknown): Props => ({ destination: { type, config } });

test.each<[string, Parameters<typeof markSecrets>[0], Props, string[]]>([
  ["nothing", dashboard, { name: "a", filters: { token: "x" } }, []],
  ["a url without a token", frontendApp, { url: "https://github.com/a/b" }, []],
  ["a url with a token", frontendApp, { url: token }, ["url"]],
  ["a url that is not known yet", frontendApp, { url: pulumi.output("x") }, ["url"]],
  ["a type we do not know", batchExport, destination("Azure", { key: "x" }), ["destination.config"]],
  [
    "a type that is not known yet",
    batchExport,
    destination(pulumi.output("S3"), { prefix: "x" }),
    ["destination.config"],
  ],
  ["no type", batchExport, destination(undefined, { prefix: "x" }), ["destination.config"]],
  ["the whole destination as an output", batchExport, { destination: pulumi.output({}) }, ["destination"]],
  ["a configuration as an output", batchExport, destination("S3", pulumi.output({})), ["destination.config"]],
  ["a promise", batchExport, { destination: Promise.resolve({}) }, ["destination"]],
])("of %s, what is secret is marked, for the user who forgot to", async (_, definition, args, paths) => {
  expect(await marked(markSecrets(definition, args))).toEqual(paths);
});

test.each(Object.entries(destinationConfigs))(
  "of a %s destination, its secret keys alone are marked",
  async (type, { shape }) => {
    const expected: Record<string, string[]> = {
      S3: ["awsAccessKeyId", "awsSecretAccessKey"],
      Snowflake: ["user", "password", "privateKey", "privateKeyPassphrase"],
      Postgres: ["user", "password"],
      Redshift: ["user", "password"],
      BigQuery: ["privateKey", "privateKeyId", "tokenUri", "clientEmail"],
      HTTP: ["token"],
      NoOp: [],
    };
    const config = Object.fromEntries(Object.keys(shape).map((key) => [key, `hush-${key}`]));
    const args = destination(type, config);
    const keys = (await marked(markSecrets(batchExport, args))).map((path) =>
      path.replace("destination.config.", ""),
    );
    expect(keys.sort()).toEqual([...(expected[type] ?? ["?"])].sort());
    expect(secretTexts(batchExport, args).sort()).toEqual(keys.map((key) => `hush-${key}`).sort());
  },
);

test("every text of a type we do not know may be echoed, and is taken out", () => {
  const args = destination("Azure", { key: "one", deep: { list: ["two", { three: "three" }] }, port: 1 });
  expect(secretTexts(batchExport, args)).toEqual(["one", "two", "three"]);
});

test("what the user marked as secret is known by name", async () => {
  const args = {
    name: "a",
    description: pulumi.secret("x"),
    filters: { deep: [pulumi.secret("y")] },
    tags: ["a"],
  };
  expect(await namesOfSecrets(args)).toEqual(["description", "filters"]);
  expect(await namesOfSecrets({ name: pulumi.output("a"), pinned: true })).toEqual([]);

  const news = {
    description: "hush",
    filters: { deep: ["hush too"] },
    name: "a",
    __secret: ["description", "filters"],
  };
  expect(secretTexts(dashboard, news)).toEqual(["hush", "hush too"]);
  expect(isShowable(dashboard, "description", news)).toBe(false);
  expect(isShowable(dashboard, "name", news)).toBe(true);
  expect(isSecretAt(dashboard, ["filters", "deep"], news)).toBe(true);
});

test("no argument that can hold a secret is shown", () => {
  const shown = definitions.flatMap((definition) =>
    Object.keys(definition.inputs)
      .filter((name) => isShowable(definition, name, {}))
      .map((name) => `${definition.type}.${name}`),
  );
  const hidden = definitions.flatMap(({ type, inputs }) =>
    Object.keys(inputs).map((name) => `${type}.${name}`),
  );
  expect(hidden.filter((name) => !shown.includes(name))).toEqual(
    expect.arrayContaining([
      "BatchExport.destination",
      "PipelineDestination.url",
      "FrontendApp.url",
      "ImportApp.url",
    ]),
  );
});

test("one secret of a configuration does not hide the rest", () => {
  const news = destination("S3", { awsSecretAccessKey: "x" });
  expect(isSecretAt(batchExport, ["destination", "config", "awsSecretAccessKey"], news)).toBe(true);
  expect(isSecretAt(batchExport, ["destination", "config", "awsSecretAccessKey", "0"], news)).toBe(true);
  expect(isSecretAt(batchExport, ["destination", "config"], news)).toBe(true);
  expect(isSecretAt(batchExport, ["destination", "config", "region"], news)).toBe(false);
});
