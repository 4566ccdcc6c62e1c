import { SingleBar } from "cli-progress";
import { relative, resolve } from "node:path";
import { tellWaits } from "../client/client";
import { ConfigurationError, PostHogError } from "../client/errors";
import { FolderError, generate, type Generated } from "../generate/generate";
import { KINDS } from "../generate/kinds";
import { ManifestError } from "../generate/manifest";
import { SelectionError } from "../generate/select";

/** The command's flags as they come from the command line. */
export interface Flags {
  readonly out: string;
  readonly organization?: string;
  readonly project?: string[];
  readonly kind?: string[];
  readonly name?: string[];
  readonly tag?: string[];
  readonly stack: string;
  readonly program?: string;
  readonly defaults?: boolean;
  readonly listsOnly?: boolean;
  readonly protect: boolean;
  readonly force?: boolean;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`error: ${line}\n`);
const format = new Intl.NumberFormat("en-US");
/** Without a terminal a line each time so many more objects are read. */
const TOLD_EVERY = 250;
/** Secrets named one by one; of more, the list hides what else was said. */
const MOST_SECRETS = 10;

/** A bar for each kind on a terminal, a line now and then elsewhere. */
class Display {
  private bar: SingleBar | undefined;
  private kind = "";

  show(kind: string, done: number, total: number): void {
    if (!process.stdout.isTTY) {
      if (done === total || done % TOLD_EVERY === 0)
        say(`read ${format.format(done)} of ${format.format(total)} ${kind}`);
      return;
    }
    if (kind !== this.kind || this.bar === undefined) {
      this.end();
      this.kind = kind;
      this.bar = new SingleBar({
        format: "{bar} {value}/{total} {kind}",
        hideCursor: true,
        gracefulExit: false,
      });
      this.bar.start(total, 0, { kind });
    }
    this.bar.setTotal(total);
    this.bar.update(done);
    if (done === total) this.end();
  }

  end(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}

/** Runs the command; answers its exit code. */
export async function runGenerate(flags: Flags): Promise<number> {
  const problem = problemOf(flags);
  if (problem !== undefined) {
    complain(problem);
    return 2;
  }
  const display = new Display();
  tellWaits((line) => void process.stderr.write(`${line}\n`));
  try {
    const done = await generate({
      folder: resolve(flags.out),
      organization: flags.organization,
      selection: {
        kinds: flags.kind ?? [],
        names: flags.name ?? [],
        tags: flags.tag ?? [],
        projects: flags.project ?? [],
      },
      listsOnly: flags.listsOnly === true,
      stack: flags.stack,
      projectName: flags.program,
      defaults: flags.defaults === true,
      protect: flags.protect,
      force: flags.force === true,
      progress: (kind, read, total) => display.show(kind, read, total),
    });
    display.end();
    report(done, flags);
    return 0;
  } catch (error) {
    display.end();
    return failed(error);
  }
}

function problemOf({ stack, program }: Flags): string | undefined {
  const isName = /^[A-Za-z0-9_.-]{1,100}$/;
  if (!isName.test(stack))
    return "--stack: a stack's name has letters, digits, hyphens, underscores and periods";
  if (program !== undefined && !isName.test(program))
    return "--program: a project's name has letters, digits, hyphens, underscores and periods";
  return undefined;
}

function failed(error: unknown): number {
  if (error instanceof FolderError || error instanceof ManifestError) {
    complain(error.message);
    return 3;
  }
  if (ConfigurationError.isInstance(error)) {
    complain(error.message);
    // What the message names first, the configuration of a stack, is for programs.
    process.stderr.write("  generate has no stack yet: it takes host and key from the environment alone\n");
    return 2;
  }
  if (error instanceof SelectionError) {
    complain(error.message);
    return 2;
  }
  if (PostHogError.isInstance(error)) {
    complain(error.message);
    return 1;
  }
  throw error;
}

function report({ program, written }: Generated, flags: Flags): void {
  const folder = relative(process.cwd(), resolve(flags.out)) || ".";
  const resources = [...program.areas.values()].flat().flatMap(({ resource }) => resource ?? []);
  const counts = KINDS.map(
    ({ type }) => [type, resources.filter((one) => one.type === type).length] as const,
  );
  const list = counts
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${format.format(count)} ${type}`);
  say(`${format.format(resources.length)} resources: ${list.join(", ") || "none"}`);
  if (written.changed.length > 0) say(`wrote ${written.changed.join(", ")} in ${folder}`);
  else if (written.extended.length === 0) say(`${folder} was up to date`);
  for (const { path, added } of written.extended)
    say(`kept ${path}, which was edited, and added ${format.format(added)} new at its end`);
  if (written.kept.length > 0) say(`kept as they are: ${written.kept.join(", ")}`);
  if (written.removed.length > 0) say(`removed ${written.removed.join(", ")}: nothing is left in them`);
  const omitted = program.omitted.length;
  if (omitted > 0) say(`${format.format(omitted)} left out; README.md says what and why`);
  if (program.secrets.length > 0) {
    say("set before pulumi up, unless it is set already:");
    for (const { key } of program.secrets.slice(0, MOST_SECRETS)) say(`  pulumi config set --secret ${key}`);
    const more = program.secrets.length - MOST_SECRETS;
    if (more > 0) say(`  and ${format.format(more)} more, which README.md names`);
  }
  say(`next: cd ${folder}, and go on as README.md says`);
}
