// Runs the Pulumi CLI for one stack, shows what it says, and keeps it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const COMMON = ["--non-interactive", "--color", "never"];

/**
 * The command line for one stack. With ESC_PROJECT set, pulumi runs inside of the ESC environment of that project
 * which is named like the stack, and gets its environment variables.
 *
 * @param {string} stack
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function commandFor(stack, args, env) {
  const command = ["pulumi", ...args, "--stack", stack, ...COMMON];
  const project = env["ESC_PROJECT"];
  return project ? ["pulumi", "env", "run", `${project}/${stack}`, "--", ...command] : command;
}

/**
 * Flags for the policy pack in `policies`, where there is one, with the stack's own settings from
 * `policies.STACK.json`, where there are some.
 *
 * @param {string} stack
 */
export function policyFlags(stack) {
  if (!existsSync("policies/PulumiPolicy.yaml")) return [];
  const settings = `policies.${stack}.json`;
  // PULUMI_POLICY_PACK names another way to start the same pack.
  const pack = ["--policy-pack", process.env["PULUMI_POLICY_PACK"] || "policies"];
  return existsSync(settings) ? [...pack, "--policy-pack-config", settings] : pack;
}

/**
 * Exports the state, so that a policy can see what a change would delete. Returns where it is.
 *
 * @param {string} stack
 */
export async function exportState(stack) {
  const file = resolve(`${stack}.state.json`);
  const { code } = await pulumi(stack, ["stack", "export", "--file", file]);
  if (code !== 0)
    throw new Error(`the state of ${stack} cannot be read: create it once with pulumi stack init ${stack}`);
  return { PULUMI_POSTHOG_STATE: file };
}

/**
 * @param {string} stack
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [more]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function pulumi(stack, args, more = {}) {
  const env = { ...process.env, ...more };
  const [command = "", ...rest] = commandFor(stack, args, env);
  return new Promise((done, fail) => {
    const child = spawn(command, rest, { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        output += text;
        process.stdout.write(text);
      });
    }
    child.on("error", fail);
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}
