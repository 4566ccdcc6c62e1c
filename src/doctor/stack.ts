import { z } from "zod";
import { SETTING_KEYS } from "../client/settings";
import { isObject, parseJson } from "../engine/values/json";
import { meant } from "../engine/values/names";
import { run, type Ended } from "./command";
import { failed, ok, skipped, warning, type Finding } from "./finding";

const SECRET_KEYS = ["apiKey", "projectApiKey"];
const TYPE = /^pulumi-nodejs:dynamic\/posthog:(\w+)$/;

const configuration = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() }),
);
const deployment = z.looseObject({
  deployment: z.looseObject({ resources: z.array(z.looseObject({ type: z.string() })).optional() }).nullish(),
});

/** What a stack's configuration says. */
export interface StackConfiguration {
  read(key: string): string | undefined;
  readonly findings: readonly Finding[];
}

/** Where a stack is. */
export interface StackPlace {
  /** Folder of the Pulumi project. */
  readonly folder: string;
  /** Name of the stack; undefined: the selected one. */
  readonly stack: string | undefined;
}

/** The configuration of the stack of this folder, with its secrets: they are used, never shown. */
export async function readConfiguration(place: StackPlace | undefined): Promise<StackConfiguration> {
  if (place === undefined) {
    return {
      read: () => undefined,
      findings: [skipped("configuration", "there is no Pulumi project here: only the environment counts")],
    };
  }
  const ended = await pulumi(place, ["config", "--json", "--show-secrets"]);
  const parsed = ended.code === 0 ? configuration.safeParse(parseJson(ended.stdout)) : undefined;
  if (parsed?.success !== true)
    return { read: () => undefined, findings: [unreadable("configuration", ended)] };
  const values = parsed.data;
  const wrong = [...plainKeys(values), ...unknownKeys(Object.keys(values))];
  return {
    read: (key) => values[key]?.value,
    findings:
      wrong.length === 0
        ? [ok("configuration", "the stack's configuration holds no key in plain text")]
        : wrong,
  };
}

function plainKeys(values: z.infer<typeof configuration>): Finding[] {
  const plain = SECRET_KEYS.filter((key) => values[`posthog:${key}`]?.secret === false);
  const connections = values["posthog:connections"];
  const entries = connections?.secret === false ? parseJson(connections.value ?? "") : {};
  const inside = isObject(entries) ? Object.entries(entries) : [];
  const nested = inside.flatMap(([name, entry]) =>
    SECRET_KEYS.filter((key) => isObject(entry) && key in entry).map((key) => `connections.${name}.${key}`),
  );
  return [...plain, ...nested].map((key) =>
    failed(
      "configuration",
      `posthog:${key} stands in plain text in the stack's configuration`,
      `Run pulumi config set --secret ${key.includes(".") ? "--path " : ""}posthog:${key}. If it was committed or ` +
        `applied like this, make a new key in PostHog.`,
    ),
  );
}

/** A misspelled key is taken by the engine without a word, and then the default counts. */
function unknownKeys(keys: readonly string[]): Finding[] {
  const given = keys.flatMap((key) => /^posthog:(.*)$/.exec(key)?.[1] ?? []);
  const unknown = given.filter((key) => !SETTING_KEYS.includes(key));
  return unknown.map((key) => {
    const near = meant(key, SETTING_KEYS);
    const advice =
      near === undefined
        ? `The settings are ${SETTING_KEYS.join(", ")}.`
        : `Set posthog:${near}, if that is meant.`;
    return warning(
      "configuration",
      `posthog:${key} is no setting, and nothing reads it`,
      `Run pulumi config rm posthog:${key}. ${advice}`,
    );
  });
}

/** The kinds that a stack's state holds. */
export async function kindsOfStack(place: StackPlace): Promise<{ kinds: string[]; finding: Finding }> {
  const ended = await pulumi(place, ["stack", "export"]);
  const parsed = ended.code === 0 ? deployment.safeParse(parseJson(ended.stdout)) : undefined;
  if (parsed?.success !== true) return { kinds: [], finding: unreadable("stack", ended) };
  const resources = parsed.data.deployment?.resources ?? [];
  const types = resources.flatMap(({ type }) => TYPE.exec(type)?.[1] ?? []);
  const kinds = [...new Set(types)].sort();
  const said =
    kinds.length === 0
      ? "no resources of PostHog yet"
      : `${String(types.length)} resource${types.length === 1 ? "" : "s"}: ${kinds.join(", ")}`;
  return { kinds, finding: ok("stack", `the stack has ${said}`) };
}

async function pulumi({ folder, stack }: StackPlace, args: readonly string[]): Promise<Ended> {
  const which = stack === undefined ? [] : ["--stack", stack];
  return await run("pulumi", [...args, ...which, "--non-interactive", "--color", "never"], folder);
}

function unreadable(check: string, { stderr, code }: Ended): Finding {
  const why = stderr.split("\n").find((line) => line.trim() !== "") ?? "";
  const said = code === undefined ? "pulumi could not be run" : why.replace(/^error:\s*/, "").slice(0, 300);
  return warning(
    check,
    `the stack could not be read: ${said || "pulumi gave no reason"}`,
    "Only the environment was looked at. Select a stack (pulumi stack select, or --stack), log in (pulumi login) and give " +
      "PULUMI_CONFIG_PASSPHRASE where secrets need it.",
  );
}
