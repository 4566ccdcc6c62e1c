// @ts-check
// What the bench needs beside this package, below .local/bench and made once: other clients, and a reference in Rust.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
/** Where everything lies that the bench makes. */
export const folder = path.resolve(here, "..", "..", ".local", "bench");
const versions = { node: "5.70.0", python: "7.91.1" };
const run = promisify(execFile);

/**
 * @param {string} what
 * @param {string} file
 * @param {() => Promise<unknown>} make
 */
async function made(what, file, make) {
  if (existsSync(file)) return file;
  console.log(`getting ready: ${what}`);
  await make();
  return file;
}

/** The folder in whose node_modules posthog-node lies. */
export async function posthogNode() {
  const file = path.join(folder, "node_modules", "posthog-node", "package.json");
  const install = ["install", "--prefix", folder, "--no-audit", "--no-fund", `posthog-node@${versions.node}`];
  await made(`posthog-node ${versions.node}`, file, () => run("npm", install));
  return folder;
}

/** The Python of a virtual environment that has posthog-python. */
export async function posthogPython() {
  const environment = path.join(folder, "venv");
  const python = path.join(environment, "bin", "python");
  await made(`posthog-python ${versions.python}`, path.join(environment, "ready"), async () => {
    await run("python3", ["-m", "venv", environment]);
    await run(python, ["-m", "pip", "install", "--quiet", `posthog==${versions.python}`]);
    await run("touch", [path.join(environment, "ready")]);
  });
  return python;
}

/** The programs in bench/import/reference, compiled. */
export async function rust() {
  const target = path.join(folder, "target");
  const bin = path.join(target, "release");
  // Cargo itself sees whether there is anything to do.
  if (!existsSync(path.join(bin, "sink")))
    console.log("getting ready: the reference in Rust (about a minute)");
  await run(
    "cargo",
    ["build", "--release", "--quiet", "--manifest-path", path.join(here, "reference", "Cargo.toml")],
    {
      env: { ...process.env, CARGO_TARGET_DIR: target },
    },
  );
  return { sink: path.join(bin, "sink"), reference: path.join(bin, "import-reference") };
}

/**
 * The files of events by their number: all, and first parts for those that are slow.
 *
 * @param {number} count
 * @param {readonly number[]} parts
 */
export async function sources(count, parts) {
  await mkdir(folder, { recursive: true });
  const whole = path.join(folder, `events-${count}.ndjson`);
  await made(`${count.toLocaleString("en")} events`, whole, () =>
    run(process.execPath, [path.join(here, "generate.mjs"), whole, String(count)]),
  );
  const files = new Map([[count, whole]]);
  for (const part of parts) {
    const file = path.join(folder, `events-${count}-${part}.ndjson`);
    await made(`the first ${part.toLocaleString("en")} of them`, file, () =>
      run("sh", ["-c", `head -n ${part} "$1" > "$2"`, "sh", whole, file]),
    );
    files.set(part, file);
  }
  return files;
}

/** @typedef {Awaited<ReturnType<typeof startSink>>} Sink */

/**
 * Starts the sink; answers its port, its counts since they were last asked for, and its end.
 *
 * @param {string} program
 * @param {number} latencyMs
 */
export async function startSink(program, latencyMs) {
  const child = spawn(program, [String(latencyMs)], { stdio: ["ignore", "pipe", "inherit"] });
  /** @type {number} */
  const port = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", (text) => resolve(Number(String(text))));
  });
  /** @returns {Promise<{ events: number }>} */
  const stats = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/stats`);
    return JSON.parse(await answer.text());
  };
  return { port, stats, stop: () => child.kill() };
}
