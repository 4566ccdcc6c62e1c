import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { EXAMPLE, Workspace } from "../../gitops/workspace";
import { writes } from "../../support/emulator";
import { Stack } from "../../support/stack";
import { pages } from "../pages";
import type { Visit } from "../reader";

const DRIFT = "node ci/drift.mjs dev";
const DRY = "DRY_RUN=true SOURCE=exports MAPPING=mixpanel node ci/import.mjs";
const IMPORT = DRY.replace("DRY_RUN=true ", "");

const steps = z.array(z.looseObject({ uses: z.string().optional(), run: z.string().optional() }));
const deploy = z.looseObject({ jobs: z.object({ up: z.looseObject({ steps }) }) });

export const pipeline: Visit = {
  open({ emulator }) {
    const workspace = new Workspace(emulator);
    const { folder, env } = workspace;
    return Promise.resolve({ folder, env, stack: new Stack(folder, {}), close: () => workspace.close() });
  },
  sections: {
    "Several environments": {
      after({ folder }) {
        const read = (stack: string) => readFileSync(join(folder, `Pulumi.${stack}.yaml`), "utf8");
        for (const [index, stack] of ["dev", "staging", "production"].entries()) {
          expect(read(stack)).toContain(`posthog:projectId: "${index + 1}"`);
          expect(read(stack)).toContain("encryptionsalt");
        }
      },
    },
    "The preview beside the change": {
      after({ said, emulator }) {
        expect(said.get("node ci/preview.mjs dev")?.output).toMatch(/### `dev`: \+ \d+ to create/);
        expect(writes(emulator)).toEqual([]);
      },
    },
    "Up, on merge": {
      after({ emulator }) {
        expect(emulator.store.dashboards.all()).toMatchObject([{ name: "Growth (dev)", project_id: 1 }]);
      },
    },
    "Keep `.pulumi-posthog`": {
      after() {
        const [page] = pages().filter(({ path }) => path === "how-to/run-in-a-pipeline.md");
        const shown = page?.snippets.find(({ language }) => language === "yaml")?.text ?? "";
        const file = join(EXAMPLE, ".github", "workflows", "deploy.yml");
        const real = deploy.parse(parse(readFileSync(file, "utf8"))).jobs.up.steps;
        // What the page leaves out: the checkout before it, and the environment of the command.
        expect(real.slice(-3)).toMatchObject(steps.parse(parse(shown)));
      },
    },
    Drift: {
      before({ emulator }) {
        const { dashboards } = emulator.store;
        dashboards.update(dashboards.require(1), { name: "Changed by hand" });
      },
      after({ said, emulator }) {
        expect(said.get(DRIFT)?.output).toMatch(/PostHog differs from the program: dev[^]*Changed by hand/);
        expect(emulator.store.dashboards.require(1).name).toBe("Growth (dev)");
      },
    },
    "An import that goes on": {
      before(reader) {
        const event = {
          event: "Page View",
          properties: { time: Date.UTC(2023, 4, 1) / 1000, distinct_id: "ada", $insert_id: "first" },
        };
        reader.write("exports/2023.ndjson", `${JSON.stringify(event)}\n`);
      },
      async after(reader) {
        const { capture, environment } = reader.emulator;
        expect(reader.said.get(DRY)?.output).toMatch(/\b1 event/);
        await reader.run(IMPORT);
        expect(capture.summary(environment.POSTHOG_PROJECT_API_KEY)).toMatchObject({
          events: 1,
          received: 1,
        });
      },
    },
    "When a job fails": {
      after({ said }) {
        // The key of imports is that of dev, and production is the stack that was made last.
        expect(said.get("npx pulumi-posthog doctor")?.stdout).toContain("0 failed");
      },
    },
  },
};
