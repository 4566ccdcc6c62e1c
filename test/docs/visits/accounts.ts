import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writes } from "../../support/emulator";
import type { Visit } from "../reader";

const KEY = "pulumi config set --secret posthog:apiKey";
const LAKE = ["pulumi config set --secret awsAccessKeyId", "pulumi config set --secret awsSecretAccessKey"];

export const rotation: Visit = {
  typed(line, { env }) {
    if (line === KEY) return env["POSTHOG_API_KEY"];
    return LAKE.includes(line) ? `hush-${line.split(" ").pop() ?? ""}` : undefined;
  },
  sections: {
    "The personal API key": {
      async before({ stack, emulator, env }) {
        stack.declare([{ class: "Dashboard", name: "growth", args: { name: "Growth" } }]);
        await stack.up();
        const [old] = emulator.store.keys.all();
        env["POSTHOG_API_KEY"] = emulator.createKey();
        if (old) emulator.store.keys.delete(old.id);
        emulator.clearRequests();
      },
      async after({ emulator, env, said, stack }) {
        expect(writes(emulator)).toEqual([]);
        expect(said.get("pulumi refresh --yes")?.output).toMatch(/unchanged/);
        // The key counts that the state was given, also where no other one is near.
        env["POSTHOG_API_KEY"] = undefined;
        expect(await stack.refresh()).toMatchObject({ code: 0, errors: "" });
      },
    },
    "Secrets of an export": {
      async after({ emulator, stack }) {
        const sent = writes(emulator).find(({ path }) => path.endsWith("/batch_exports/"));
        expect(JSON.stringify(sent?.body)).toContain("hush-awsSecretAccessKey");
        await stack.setConfig("awsSecretAccessKey", "hush-rotated", { secret: true });
        emulator.clearRequests();
        await stack.up();
        expect(writes(emulator)).toMatchObject([{ method: "PATCH" }]);
        expect(JSON.stringify(writes(emulator))).toContain("hush-rotated");
        expect(await stack.stateFile()).not.toContain("hush-");
      },
    },
  },
};

export const accounts: Visit = {
  typed: (line) => (line.includes("--secret") ? "phx_hush" : undefined),
  sections: {
    Configure: {
      after({ folder }) {
        const file = readFileSync(join(folder, "Pulumi.test.yaml"), "utf8");
        expect(file).toMatch(/us:[^]*organizationId: '@current'[^]*apiKey:\s+secure:/);
        expect(file).not.toContain("phx_hush");
      },
    },
    Use: {
      // `region` alone would reach the service itself.
      async before(reader) {
        const { POSTHOG_HOST, POSTHOG_API_KEY } = reader.emulator.environment;
        await reader.run(`pulumi config set --path posthog:connections.us.host ${POSTHOG_HOST}`);
        await reader.run("pulumi config set --secret --path posthog:connections.us.apiKey", POSTHOG_API_KEY);
        reader.env["POSTHOG_PROJECT_ID"] = "3";
      },
      async after({ stack, emulator }) {
        expect(await stack.up()).toMatchObject({ code: 0, errors: "" });
        const made = emulator.store.dashboards.all().map(({ name, project_id }) => [name, project_id]);
        expect(made).toEqual(
          expect.arrayContaining([
            ["Revenue", 2],
            ["Revenue", 3],
          ]),
        );
      },
    },
  },
};
