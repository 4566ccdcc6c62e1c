import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fill, openAccount, type Account } from "../generate/account";
import { installCommand } from "../support/installed";
import { type Ended, spawned } from "../support/spawned";
import { openStack, type Stack } from "../support/stack";
import { transpiled } from "../support/transpiled";
import type { Page } from "./pages";

const LINE_TIMEOUT_MS = 180_000;

/** What a section takes for granted, and what it leads to. */
export interface Section {
  /** Brings about what the reader has when the section begins. */
  readonly before?: (reader: Reader) => Promise<void> | void;
  /** Checks that its commands did what it says. */
  readonly after?: (reader: Reader) => Promise<void> | void;
}

/** How a page is followed. */
export interface Visit {
  /** By heading; one that has nothing to run has no place here. */
  readonly sections: Readonly<Record<string, Section>>;
  /** What is typed where a command asks. */
  readonly typed?: (line: string, reader: Reader) => string | undefined;
  /** What a command has to be on this machine; it runs as it stands unless given. */
  readonly line?: (line: string) => string;
  /** Where the page is followed: in a folder with an empty stack unless given. */
  readonly open?: (account: Account) => Promise<Place>;
}

/** A folder in which commands run. */
export interface Place {
  readonly folder: string;
  readonly env: Record<string, string | undefined>;
  readonly stack: Stack;
  close(): Promise<void> | void;
}

/** Somebody who follows a page from its top to its end: writes each program and file, and runs each command. */
export class Reader {
  /** What the commands of this section printed so far, by line. */
  readonly said = new Map<string, Ended>();

  private constructor(
    readonly account: Account,
    private readonly place: Place,
    private readonly visit: Visit,
  ) {}

  static async open(visit: Visit): Promise<Reader> {
    const account = await openAccount({ projects: 2 });
    return new Reader(account, await (visit.open ?? emptyStack)(account), visit);
  }

  get emulator() {
    return this.account.emulator;
  }
  get folder() {
    return this.place.folder;
  }
  /** Environment of the commands; change it between them. */
  get env() {
    return this.place.env;
  }
  get stack() {
    return this.place.stack;
  }

  /** Fills the account with objects of all kinds. */
  async fill(): Promise<void> {
    await fill(this.account);
  }

  /** Follows a page; commands that `isRun` says no to are left out. */
  async follow(page: Page, isRun: (line: string) => boolean): Promise<void> {
    const { sections, typed } = this.visit;
    const headings = [...new Set(page.snippets.map(({ heading }) => heading))];
    const unknown = Object.keys(sections).filter((heading) => !headings.includes(heading));
    if (unknown.length > 0) throw new Error(`${page.path} has nothing to run below ${unknown.join(", ")}`);
    for (const heading of headings) {
      this.said.clear();
      await sections[heading]?.before?.(this);
      for (const { language, text, file } of page.snippets.filter((one) => one.heading === heading)) {
        if (file !== undefined) this.write(file, text);
        else if (language === "typescript") this.stack.program(transpiled(text));
        else if (language === "sh")
          for (const line of linesOf(text).filter(isRun)) await this.run(line, typed?.(line, this));
      }
      await sections[heading]?.after?.(this);
    }
  }

  /** Writes a file into the folder. */
  write(file: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), content);
  }

  /** Runs a line in a shell, as it stands; throws where it fails. */
  async run(line: string, input?: string): Promise<Ended> {
    const ended = await this.try(line, input);
    if (ended.code !== 0) throw new Error(`${line} ended with ${ended.code}:\n${ended.output}`);
    return ended;
  }

  /** Runs a line in a shell, as it stands, for the caller to judge. */
  async try(line: string, input?: string): Promise<Ended> {
    const ended = await spawned("bash", ["-e", "-o", "pipefail", "-c", this.visit.line?.(line) ?? line], {
      cwd: this.folder,
      env: { ...this.env, NO_COLOR: "1", npm_config_update_notifier: "false" },
      timeoutMs: LINE_TIMEOUT_MS,
      ...(input === undefined ? {} : { input }),
    }).done;
    this.said.set(line, ended);
    return ended;
  }

  async close(): Promise<void> {
    await this.place.close();
    await this.account.emulator.close();
  }
}

/** The command lines of a block. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

async function emptyStack({ emulator }: Account): Promise<Place> {
  const stack = await openStack({ emulator });
  installCommand(stack.folder);
  return { folder: stack.folder, env: stack.env, stack, close: () => stack.close() };
}
