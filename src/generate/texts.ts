import type { Project } from "./existing";
import { KINDS, LEFT_OUT } from "./kinds";
import { MANIFEST } from "./manifest";
import type { Program } from "./program";
import type { Omitted } from "./read";

/** What the texts around the resources say of the account. */
export interface About {
  readonly host: string;
  readonly organizationId: string | undefined;
  /** What people call the organization. */
  readonly title: string;
  readonly projects: readonly Project[];
  /** Name of the Pulumi project. */
  readonly projectName: string;
  readonly stack: string;
  /** Version of this package. */
  readonly version: string;
}

/** Objects of a kind that are named one by one; of more, there are too many to read. */
const MOST_NAMED = 20;
/** From here on the first run takes minutes. */
const MANY_RESOURCES = 300;

/** `Pulumi.yaml` */
export function projectFile({ projectName, title }: About): string {
  const description = JSON.stringify(`PostHog of ${title}`);
  return `name: ${projectName}\ndescription: ${description}\nruntime:\n  name: nodejs\n  options:\n    typescript: true\nmain: index.ts\n`;
}

/** `Pulumi.STACK.yaml`: where the resources are; secrets are set by people. */
export function stackFile({ host, organizationId }: About): string {
  const organization =
    organizationId === undefined ? "" : `  posthog:organizationId: ${JSON.stringify(organizationId)}\n`;
  return `config:\n  posthog:host: ${JSON.stringify(host)}\n${organization}`;
}

/** `package.json` */
export function packageFile({ projectName, version }: About): string {
  const content = {
    name: projectName,
    private: true,
    main: "index.ts",
    dependencies: { "@pulumi/pulumi": "^3.200.0", "pulumi-posthog": `^${version}` },
    devDependencies: { "@types/node": "^20.0.0", typescript: "^5.0.0" },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `tsconfig.json` */
export function compilerFile(): string {
  const content = {
    compilerOptions: {
      target: "ES2022",
      module: "node16",
      moduleResolution: "node16",
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      skipLibCheck: true,
      noEmit: true,
    },
    files: ["index.ts"],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `.gitignore` */
export function ignoreFile(): string {
  return "node_modules/\n";
}

/** `README.md` */
export function readme(about: About, program: Program): string {
  return [
    `# PostHog of ${plain(about.title)}`,
    `A Pulumi program, written by \`npx pulumi-posthog generate\`, that takes over what exists in ${about.host}.`,
    ...contents(program),
    "## Take it over",
    ...steps(about, program),
    "## What was left out",
    ...leftOut(program),
    "## Running generate again",
    `It reads PostHog again, updates the files that nobody edited, keeps those that somebody did, and adds what is new at ` +
      `their end. \`${MANIFEST}\` remembers what it wrote: keep it in version control.`,
    "",
  ].join("\n\n");
}

function contents({ areas }: Program): string[] {
  const rows = [...areas].map(([area, statements]) => {
    const types = statements.map(({ resource }) => resource?.type).filter((type) => type !== undefined);
    const counts = KINDS.map(({ type }) => [type, types.filter((one) => one === type).length] as const);
    const said = counts
      .filter(([, count]) => count > 0)
      .map(([type, count]) => `${String(count)} × \`${type}\``);
    return `| \`${area}.ts\` | ${said.join(", ") || "ids of projects, configuration"} |`;
  });
  return [["| file | what is in it |", "| --- | --- |", ...rows].join("\n")];
}

function steps({ stack }: About, { secrets, areas }: Program): string[] {
  const install =
    "npm install\nexport POSTHOG_API_KEY=phx_...   # a personal API key; in a pipeline from its secret store";
  const owners = [...new Set(secrets.map(({ of }) => of))];
  const set = owners
    .map((owner) => {
      const keys = secrets.filter(({ of }) => of === owner).map(({ key }) => key);
      return [`# ${inCode(owner)}`, ...keys.map((key) => `pulumi config set --secret ${key}`)].join("\n");
    })
    .join("\n");
  const run = `pulumi up                                         # takes everything over, and writes nothing to PostHog\npulumi preview --refresh --expect-no-changes      # shows that nothing is left to change`;
  const first = code(`${install}\npulumi stack init ${stack}`);
  const resources = [...areas.values()].flat().filter(({ resource }) => resource !== undefined).length;
  const faster = resources > MANY_RESOURCES ? [withoutCheckpoints(resources)] : [];
  if (secrets.length === 0) return [first, code(run), ...faster];
  return [
    first,
    "PostHog never shows these secrets, so set them before the first run. Taking over compares none of them and sends none; a value that you change later is sent.",
    code(set),
    code(run),
    ...faster,
  ];
}

/** Each step would write the state of all: what takes over nothing but state can write it once. */
function withoutCheckpoints(resources: number): string {
  const command = "PULUMI_EXPERIMENTAL=true PULUMI_SKIP_CHECKPOINTS=true pulumi up";
  return (
    `With state in a file or a bucket, Pulumi writes all of it after each of ${String(resources)} resources. This first ` +
    `run writes nothing to PostHog, and where it is interrupted it is run again, so it can do without: ` +
    `\`${command}\` takes a fraction of the time. Leave the two out of every later run.`
  );
}

function leftOut({ omitted, areas }: Program): string[] {
  const lines: string[] = [];
  for (const kind of KINDS) {
    const here = omitted.filter((one) => one.kind.type === kind.type);
    for (const { label, reason } of here)
      if (label === undefined) lines.push(`- Every \`${kind.type}\`: ${plain(reason)}`);
    const byReason = new Map<string, Omitted[]>();
    for (const one of here) {
      if (one.label !== undefined) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
    }
    for (const [reason, some] of byReason) lines.push(`- \`${kind.type}\` ${named(some)}: ${plain(reason)}`);
  }
  const present = new Set([...areas.values()].flat().map(({ resource }) => resource?.type));
  const unread = KINDS.filter(
    ({ type, definition }) => present.has(type) && (definition.writeOnly ?? []).length > 0,
  );
  for (const { type, definition } of unread) {
    const names = definition.writeOnly ?? [];
    const said = names.length === 1 ? "it; it stays as it is" : "them; they stay as they are";
    lines.push(
      `- ${names.map((name) => `\`${name}\``).join(", ")} of \`${type}\`: PostHog never shows ${said}.`,
    );
  }
  lines.push(
    "- Arguments that have their default: PostHog's value is left alone. `generate --defaults` declares them, too, so that a change of them is found.",
  );
  lines.push(
    "- Tiles of dashboards, the code of plugins, insights, feature flags, cohorts: they stay as they are.",
  );
  for (const [type, reason] of Object.entries(LEFT_OUT)) lines.push(`- \`${type}\`: ${reason}.`);
  return [lines.join("\n")];
}

function named(some: readonly Omitted[]): string {
  const labels = some.slice(0, MOST_NAMED).map(({ label = "" }) => plain(label));
  const more = some.length - labels.length;
  return `${labels.join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
}

/** Text of the service inside Markdown: nothing of it is markup. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|!~]/g, (sign) => `\\${sign}`);
}

/** Text of the service in one line of a block of code, which it does not end. */
function inCode(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("`", "'");
}

function code(text: string): string {
  return `\`\`\`sh\n${text}\n\`\`\``;
}
