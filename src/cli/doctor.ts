import type { Command } from "commander";
import { tellWaits } from "../client/client";
import { examine } from "../doctor/doctor";
import type { Finding, Status } from "../doctor/finding";
import { KindError } from "../doctor/needs";
import { several } from "./lists";

interface Flags {
  readonly kinds?: string[];
  readonly stack?: string;
  readonly connection?: string;
  readonly json?: boolean;
}

const WORDS: Readonly<Record<Status, string>> = {
  ok: "ok",
  warning: "WARNING",
  failed: "FAILED",
  skipped: "-",
};
const WIDTH = 9;

/** Adds `pulumi-posthog doctor`. */
export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description(
      "check Node, engine, host, key, scopes, organization and project, and say how to mend what is wrong",
    )
    .option("--kinds <classes>", "kinds that the program uses, such as Dashboard,Member", several)
    .option("--stack <name>", "stack of the program in this folder; the selected one where left out")
    .option("--connection <name>", "entry of posthog:connections to check")
    .option("--json", "print { ok, checks: [{ check, status, said, remedy }] }")
    .addHelpText(
      "after",
      [
        "",
        "Host and key come from the configuration of the stack in this folder, else from the environment, as for a",
        "program. Without --kinds, the kinds in the stack's state decide what the key needs; without a stack, all kinds.",
        "Nothing is changed in PostHog, and no key is printed.",
        "",
        "Exit codes: 0 nothing failed, 1 something failed, 2 wrong arguments.",
      ].join("\n"),
    )
    .action(async (flags: Flags) => {
      process.exitCode = await runDoctor(flags);
    });
}

async function runDoctor({ kinds = [], stack, connection, json }: Flags): Promise<number> {
  tellWaits((line) => void process.stderr.write(`${line}\n`));
  let findings: Finding[];
  try {
    findings = await examine({ folder: process.cwd(), stack, connection, kinds });
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    process.stderr.write(`error: --kinds: ${error.message}\n`);
    return 2;
  }
  const isWell = findings.every(({ status }) => status !== "failed");
  if (json === true) {
    const checks = findings.map(({ remedy = null, ...rest }) => ({ ...rest, remedy }));
    process.stdout.write(`${JSON.stringify({ ok: isWell, checks }, null, 2)}\n`);
  } else {
    for (const finding of findings) process.stdout.write(printed(finding));
    process.stdout.write(`${summary(findings)}\n`);
  }
  return isWell ? 0 : 1;
}

function printed({ check, status, said, remedy }: Finding): string {
  const mend = remedy === undefined ? "" : `${" ".repeat(WIDTH)}→ ${remedy}\n`;
  return `${WORDS[status].padEnd(WIDTH)}${check}: ${said}\n${mend}`;
}

function summary(findings: readonly Finding[]): string {
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  const [wrong, warnings] = [count("failed"), count("warning")];
  if (wrong === 0 && warnings === 0) return "everything is as it should be";
  return `${String(wrong)} failed, ${String(warnings)} ${warnings === 1 ? "warning" : "warnings"}`;
}
