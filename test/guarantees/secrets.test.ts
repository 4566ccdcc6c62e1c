import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { ALL_FEATURES } from "../../src/emulator";
import { startEmulator, type Emulator } from "../support/emulator";
import { openStack, type Declared, type Run, type Stack } from "../support/stack";
import { Refusal, startRelay, type Message, type Relay } from "./relay";

// Every secret stands in plain text in the program, as a careless user writes it, and is a marker of its own.
// No base64 has its hyphen, so that nothing encrypted shows it by chance.
const MARKER = "hush-";
let count = 0;
const hush = (what: string): string => `${MARKER}${++count}-${what}`;
/** How every one of them begins in base64, as far as the marker alone decides. */
const MARKER_BASE64 = Buffer.from(MARKER).toString("base64").replace(/=+$/, "");

/**
 * A service that knows a type of destination that we do not, changes what it is given, and echoes the request with
 * its key in its complaints about a name that holds `refused`.
 */
const rules = {
  request({ body }: Message): unknown {
    const text = JSON.stringify(body ?? null);
    if (text.includes("refused")) {
      const detail = `Invalid: ${text}`;
      return new Refusal(400, {
        type: "validation_error",
        code: "invalid_input",
        detail,
        attr: "destination",
      });
    }
    return body === undefined
      ? undefined
      : JSON.parse(text.replaceAll('"AzureBlob","config":{', '"NoOp","config":{"as":"AzureBlob",'));
  },
  answer: ({ body }: Message): unknown =>
    JSON.parse(
      JSON.stringify(body ?? null)
        .replaceAll('"NoOp","config":{"as":"AzureBlob",', '"AzureBlob","config":{')
        .replaceAll('"region":"Moved"', '"region":"moved"'),
    ),
};

/** The program; `turn` changes what is not secret, `secrets` what is. */
function program(turn: number, secrets: number, name = "export"): Declared[] {
  const s = (what: string): string => hush(`${what}-${secrets}`);
  const batchExport = (type: string, config: object): Declared => ({
    class: "BatchExport",
    name: type,
    args: { name: `${name} ${type}`, interval: "hour", destination: { type, config } },
  });
  const events = { excludeEvents: [`event ${turn}`] };
  const database = { host: "db.example.com", database: `events${turn}`, schema: "posthog" };
  return [
    batchExport("S3", {
      bucketName: `lake-${turn}`,
      region: "eu-central-1",
      prefix: "posthog/",
      awsAccessKeyId: s("s3-id"),
      awsSecretAccessKey: s("s3-key"),
      ...events,
    }),
    batchExport("Snowflake", {
      account: "acme",
      database: `events${turn}`,
      warehouse: "w",
      schema: "s",
      user: s("snowflake-user"),
      password: s("snowflake-password"),
      privateKey: s("snowflake-key"),
      privateKeyPassphrase: s("snowflake-passphrase"),
    }),
    batchExport("Postgres", { ...database, user: s("postgres-user"), password: s("postgres-password") }),
    batchExport("Redshift", { ...database, user: s("redshift-user"), password: s("redshift-password") }),
    batchExport("BigQuery", {
      projectId: "acme",
      datasetId: `events${turn}`,
      privateKey: s("bigquery-key"),
      privateKeyId: s("bigquery-id"),
      tokenUri: s("bigquery-uri"),
      clientEmail: s("bigquery-email"),
    }),
    batchExport("HTTP", { url: `https://eu.i.posthog.com/batch/?turn=${turn}`, token: s("http-token") }),
    batchExport("AzureBlob", {
      container: `c${turn}`,
      connection_string: s("azure-string"),
      nested: { list: [s("azure-list")] },
    }),
    // The service keeps another region than was asked for: what it dropped is kept beside the secrets.
    {
      class: "BatchExport",
      name: "changed by the service",
      args: {
        name: `${name} moved`,
        interval: "hour",
        destination: {
          type: "S3",
          config: {
            bucketName: `b${turn}`,
            region: "Moved",
            prefix: "",
            awsAccessKeyId: s("moved-id"),
            awsSecretAccessKey: s("moved-key"),
          },
        },
      },
    },
    ...["PipelineDestination", "FrontendApp", "ImportApp"].map((kind): Declared => ({
      class: kind,
      name: kind,
      args: {
        url: `https://github.com/acme/${kind}?private_token=${s(`token-${kind}`)}`,
        ...(kind === "ImportApp" ? {} : { description: `Turn ${turn}` }),
      },
    })),
    // Its answers hold the keys of its projects.
    { class: "Organization", name: "research", args: { name: "Acme Research", enforce2fa: turn === 1 } },
    // Here the user has said it: a secret in an argument that is none by itself, and one that the service drops.
    {
      class: "Dashboard",
      name: "dashboard",
      args: {
        name: `${name} dashboard`,
        tags: { $secret: [s("tag")] },
        description: { $secret: s("description") },
      },
    },
    {
      class: "Invite",
      name: "invite",
      args: { targetEmail: "grace@example.org", message: { $secret: s("message") } },
    },
  ];
}

let emulator: Emulator;
let relay: Relay;
let stack: Stack;
const runs: { what: string; run: Run }[] = [];

beforeAll(async () => {
  emulator = await startEmulator();
  emulator.setFeatures(
    emulator.environment.POSTHOG_ORGANIZATION_ID,
    ALL_FEATURES.filter((feature) => feature !== "tagging"),
  );
  relay = await startRelay(emulator, rules);
  stack = await openStack({ env: relay.environment });
  // The backups that people have, too.
  delete stack.env["PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS"];
});
afterAll(async () => {
  await stack.close();
  await relay.close();
  await emulator.close();
});

async function run(what: string, running: Promise<Run>): Promise<Run> {
  const done = await running;
  runs.push({ what, run: done });
  return done;
}

/** Every place, of output and files, that shows a secret. */
function leaks(): string[] {
  const { POSTHOG_API_KEY: key } = emulator.environment;
  const projectKeys = emulator.store.projects.all().map((project) => project.api_token);
  const secrets = [MARKER, MARKER_BASE64, key, ...projectKeys];
  const shows = (text: string): boolean => secrets.some((secret) => text.includes(secret));
  const where = (text: string): string => {
    const at = Math.max(...secrets.map((secret) => text.indexOf(secret)));
    return text.slice(Math.max(0, at - 120), at + 60);
  };
  const files = filesBelow(stack.folder).filter((path) => !/^(program\.json|index\.cjs)$/.test(path));
  return [
    ...runs.filter((one) => shows(one.run.output)).map((one) => `${one.what}: ${where(one.run.output)}`),
    ...files.flatMap((path) => {
      const text = printed(path, readFileSync(join(stack.folder, path), "utf8"));
      return shows(text) ? [`${path}: ${where(text)}`] : [];
    }),
  ];
}

/** The engine's event log also has what `--debug` would print: every request of the program, in clear. */
function printed(path: string, text: string): string {
  if (!path.startsWith("events-")) return text;
  const isDebug = /^\{[^{]*"diagnosticEvent":\{.*"severity":"debug"/;
  return text
    .split("\n")
    .filter((line) => !isDebug.test(line))
    .join("\n");
}

function filesBelow(folder: string, root = folder): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path, root) : [relative(root, path)];
  });
}

test("no operation shows a secret, and no file of the stack holds one", async () => {
  stack.declare(program(1, 1));
  expect(await run("preview", stack.preview())).toMatchObject({ code: 0 });
  expect(await run("preview --diff", stack.preview({ diff: true }))).toMatchObject({ code: 0 });
  expect(await run("up", stack.up({ diff: true, skipPreview: false }))).toMatchObject({
    code: 0,
    changes: { create: 14 },
  });

  stack.declare(program(2, 2));
  expect(await run("preview of an update", stack.preview())).toMatchObject({ code: 0 });
  expect(await run("preview --diff of an update", stack.preview({ diff: true }))).toMatchObject({ code: 0 });
  expect(
    await run("preview --json", stack.preview({ json: true, showReplacementSteps: true })),
  ).toMatchObject({ code: 0 });
  expect(await run("update", stack.up({ diff: true }))).toMatchObject({ code: 0 });

  for (const row of emulator.store.batchExports.all()) {
    const { destination } = row;
    emulator.store.batchExports.update(row, {
      destination: { ...destination, config: { ...destination.config, prefix: "drift", schema: "drift" } },
      name: "drifted",
    });
  }
  expect(await run("preview --refresh", stack.preview({ refresh: true, diff: true }))).toMatchObject({
    code: 0,
  });
  const refreshed = await run("refresh", stack.refresh({ diff: true }));
  expect(refreshed).toMatchObject({ code: 0 });
  expect(refreshed.step("S3")).toMatchObject({ op: "update" });
  expect(await run("refresh of what has not changed", stack.refresh())).toMatchObject({ code: 0 });

  stack.declare(program(3, 3, "refused"));
  const failed = await run("failed update", stack.up({ diff: true, continueOnError: true }));
  expect(failed.code).not.toBe(0);
  expect(failed.errors).toContain("answered 400");

  stack.declare(program(2, 2));
  expect(await run("up after a drift", stack.up())).toMatchObject({ code: 0 });
  expect((await stack.exportText()).includes(MARKER)).toBe(false);
  expect(await run("destroy", stack.destroy({ diff: true }))).toMatchObject({ code: 0 });

  stack.declare(program(4, 4, "refused"));
  const refused = await run("failed create", stack.up({ continueOnError: true }));
  expect(refused.code).not.toBe(0);
  expect(refused.errors).toContain("answered 400");

  const tooLong = { $secret: hush("x".repeat(40)) };
  stack.declare([
    {
      class: "Invite",
      name: "bad",
      args: { targetEmail: { $secret: hush("no address") }, firstName: tooLong },
    },
  ]);
  const bad = await run("failed check", stack.preview({ diff: true }));
  expect(bad.code).not.toBe(0);
  expect(bad.errors).toMatch(/targetEmail: must be an e-mail address.*firstName: must have at most 30/s);

  const files = filesBelow(join(stack.folder, "backend"));
  expect(files.some((path) => path.includes("backups"))).toBe(true);
  expect(files.some((path) => path.includes("history"))).toBe(true);
  expect(leaks()).toEqual([]);
});
