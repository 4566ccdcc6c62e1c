import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "@swc/core";
import { startEmulator, type Emulator } from "../support/emulator";
import { ROOT } from "../support/engine";
import { openStack, type Stack } from "../support/stack";

interface Example {
  folder: string;
  /** A change that someone makes, and the operations it leads to. */
  edit: [from: string, to: string];
  changed: string[];
  config?: Record<string, { secret: string }>;
}

const KEYS = {
  "posthog-test:awsAccessKeyId": { secret: "AKIA_EXAMPLE" },
  "posthog-test:awsSecretAccessKey": { secret: "example-secret" },
};

const EXAMPLES: Example[] = [
  {
    folder: "dashboards",
    edit: ['name: "Board meeting"', 'name: "Board meetings"'],
    changed: ["update board"],
  },
  {
    folder: "people",
    edit: [
      '{ targetEmail: "frances@example.com", firstName: "Frances" },',
      '{ targetEmail: "joan@example.com" },',
    ],
    changed: ["update workshop"],
  },
  {
    folder: "domains",
    edit: ["jitProvisioningEnabled: true", "jitProvisioningEnabled: false"],
    changed: ["update company"],
  },
  {
    folder: "exports",
    edit: ['interval: "hour"', 'interval: "day"'],
    changed: ["update lake"],
    config: KEYS,
  },
  { folder: "plugins", edit: ["to the CRM.", "to the data team."], changed: ["update forwarder"] },
];

function program(folder: string, [from, to]: [string, string] = ["", ""]): string {
  const text = readFileSync(join(ROOT, "examples", folder, "index.ts"), "utf8");
  if (!text.includes(from)) throw new Error(`examples/${folder} no longer holds ${from}`);
  const options = {
    module: { type: "commonjs" },
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
  } as const;
  return transformSync(text.replace(from, to), options).code;
}

describe.each(EXAMPLES)("examples/$folder", ({ folder, edit, changed, config }) => {
  let emulator: Emulator;
  let stack: Stack;

  beforeAll(async () => {
    emulator = await startEmulator();
    stack = await openStack({ emulator, program: program(folder), ...(config ? { config } : {}) });
  });
  afterAll(async () => {
    await stack.close();
    await emulator.close();
  });

  it("is applied, changes nothing the second time, changes what was edited, and leaves nothing behind", async () => {
    const first = await stack.up();
    expect(first.errors).toBe("");
    expect(first.code).toBe(0);

    emulator.requests.length = 0;
    const second = await stack.up({ refresh: true, expectNoChanges: true });
    expect(second.errors).toBe("");
    expect(second.code).toBe(0);
    expect(emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);

    stack.program(program(folder, edit));
    const third = await stack.up();
    expect(third.errors).toBe("");
    expect(third.changed.map(({ op, name }) => `${op} ${name}`)).toEqual(expect.arrayContaining(changed));
    expect(third.changed.filter(({ op }) => op !== "update")).toEqual([]);

    const gone = await stack.destroy();
    expect(gone.errors).toBe("");
    expect(gone.code).toBe(0);
  });
});
