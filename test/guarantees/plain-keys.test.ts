import { startEmulator, type Emulator } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";

const MARKER = "hush-plain";

let emulator: Emulator;
let stack: Stack;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterEach(() => stack.close());
afterAll(() => emulator.close());

/** The command that a message tells to run, as arguments of the CLI. */
function commandOf(message: string): string[] {
  const line = /^\s*pulumi (config set .*)$/m.exec(message)?.[1] ?? "";
  return line.split(" ").map((word) => word.replaceAll('"', ""));
}

test.each([
  ["posthog:apiKey", {}],
  ["posthog:projectApiKey", {}],
  ["posthog:connections.eu.apiKey", { path: true }],
  ["posthog:connections.eu.projectApiKey", { path: true }],
])(
  "%s in plain text stops the program, with the command that mends it",
  async (key, { path = false }: { path?: boolean }) => {
    stack = await openStack({ emulator });
    stack.declare([{ class: "Dashboard", name: "growth", args: { name: "Growth" } }]);
    const set = (...flags: string[]): Promise<unknown> =>
      stack.cli(["config", "set", ...flags, ...(path ? ["--path"] : []), key, `phx_${MARKER}`], {
        check: true,
      });
    await set("--plaintext");

    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.code).not.toBe(0);
      expect(run.output).toContain(`${key} stands in plain text`);
      expect(run.output).not.toContain(MARKER);
      expect(run.steps).toEqual([]);
    }
    expect(emulator.requests).toEqual([]);
    expect(await stack.exportText()).not.toContain(MARKER);

    const { output } = await stack.preview();
    const command = commandOf(output);
    expect(command).toEqual(expect.arrayContaining(["config", "set", "--secret", key]));
    const mended = await stack.cli([...command, `phx_${MARKER}`]);
    expect([mended.code, mended.output]).toEqual([0, ""]);
    // The default connection's key is the environment's unless configuration says otherwise.
    if (key === "posthog:apiKey") stack.env["POSTHOG_HOST"] = "http://127.0.0.1:9";
    expect(await stack.preview({ diff: true })).toMatchObject({ code: 0, changes: { create: 1 } });
  },
);
