import { type Command } from "commander";
import { runGenerate, type Flags } from "./generate-command";
import { append, several } from "./lists";

/** Adds `pulumi-posthog generate`. */
export function registerGenerate(program: Command): void {
  program
    .command("generate")
    .description("write a Pulumi program that takes over what exists in PostHog, without changing it")
    .option("--out <folder>", "folder of the program", "posthog")
    .option("--organization <id>", "UUID, slug or @current (POSTHOG_ORGANIZATION_ID, else @current)")
    .option("--project <id or name>", "only these projects; may be given several times", several)
    .option(
      "--kind <class>",
      "only these kinds, such as Dashboard,Member; may be given several times",
      several,
    )
    .option(
      "--name <pattern>",
      "only what is called so, with * for anything; may be given several times",
      append,
    )
    .option("--tag <tag>", "only what has one of these tags; may be given several times", several)
    .option("--stack <name>", "stack whose Pulumi.<name>.yaml is written", "production")
    .option("--program <name>", "name of the Pulumi project (posthog- and the organization's name)")
    .option("--defaults", "declare arguments that have their default, too, so that a change of them is found")
    .option("--lists-only", "read lists alone: fewer requests, without the filters of dashboards")
    .option("--no-protect", "do not protect resources from deletion")
    .option("--force", "write over files that people edited")
    .addHelpText(
      "after",
      [
        "",
        "Host and key come from POSTHOG_HOST (or POSTHOG_REGION) and POSTHOG_API_KEY; a key that reads is enough.",
        "Nothing is changed in PostHog. Run again, it updates what it wrote, keeps files that were edited and adds what",
        "is new at their end.",
        "",
        "Exit codes: 0 done, 1 PostHog could not be read, 2 wrong arguments, 3 refused: files would be lost.",
      ].join("\n"),
    )
    .action(async (flags: Flags) => {
      process.exitCode = await runGenerate(flags);
    });
}
