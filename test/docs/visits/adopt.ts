import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writes } from "../../support/emulator";
import type { Declared } from "../../support/stack";
import type { Reader, Visit } from "../reader";

const past = (args = {}): Declared => ({
  class: "BatchExport",
  name: "past",
  args: {
    name: "Archive",
    interval: "day",
    destination: {
      type: "HTTP",
      config: { url: "https://eu.i.posthog.com/batch/", token: { $secret: "phc_elsewhere" } },
    },
    ...args,
  },
  opts: { protect: true },
});

async function inState({ stack }: Reader) {
  return (await stack.export()).deployment.resources.find(({ urn }) => urn.endsWith("::past"));
}

/** The export is protected, and somebody deletes it in PostHog. */
async function deleteByHand(reader: Reader): Promise<string> {
  const { stack, emulator } = reader;
  const id = String((await inState(reader))?.id);
  stack.declare([past({ adoptId: id })]);
  emulator.store.batchExports.delete(id);
  return id;
}

export const adoption: Visit = {
  sections: {
    "All of it at once": {
      before: (reader) => reader.fill(),
      after({ folder, emulator }) {
        expect(writes(emulator)).toEqual([]);
        expect(readFileSync(join(folder, "posthog", "exports.ts"), "utf8")).toContain("adoptId:");
      },
    },
    "1. Find the ids": {
      after({ said, emulator }) {
        expect(said.get("pulumi up --yes")?.output).toMatch(/name *: "Board"/);
        expect(writes(emulator)).toEqual([]);
      },
    },
    "2. Declare what you want to manage": {
      async after({ account: { ask, project }, stack, emulator }) {
        const kpis = await ask("POST", `${project}dashboards/`, { name: "KPIs", tags: ["team:data"] });
        const past = await ask("POST", `${project}batch_exports/`, {
          name: "Archives",
          interval: "day",
          destination: {
            type: "HTTP",
            config: { url: "https://eu.i.posthog.com/batch/", token: "phc_elsewhere" },
          },
        });
        await stack.setAllConfig({
          "posthog-test:kpis": String(kpis["id"]),
          "posthog-test:past": String(past["id"]),
          "posthog-test:token": { secret: "phc_elsewhere" },
        });
        emulator.clearRequests();
      },
    },
    "3. Review, then apply": {
      after({ said, emulator }) {
        expect(said.get("pulumi preview --diff")?.output).toMatch(/name: "Archives" → "Archive"/);
        // The dashboard is as it is to be, and Ada is an admin already.
        expect(writes(emulator)).toMatchObject([{ method: "PATCH", body: { name: "Archive" } }]);
      },
    },
    "Somebody deletes it in PostHog, and it may stay so": {
      async before(reader) {
        reader.stack.declare([past()]);
        await reader.stack.up();
        await deleteByHand(reader);
        reader.stack.declare([]);
        const { code, output } = await reader.try("pulumi up --yes");
        expect([code === 0, output]).toEqual([
          false,
          expect.stringMatching(/cannot be deleted\s+because it is protected/),
        ]);
      },
      async after(reader) {
        expect(await inState(reader)).toBeUndefined();
      },
    },
    "Somebody deletes it in PostHog, and you want it back": {
      async before(reader) {
        reader.stack.declare([past()]);
        await reader.stack.up();
        await deleteByHand(reader);
      },
      async after(reader) {
        expect(reader.said.get("pulumi preview --refresh")?.output).toContain("and so a new one is made");
        const made = await inState(reader);
        expect(reader.emulator.store.batchExports.get(made?.id ?? "")).toMatchObject({ name: "Archive" });
      },
    },
    "Delete it yourself": {
      async before(reader) {
        reader.env["URN"] = (await inState(reader))?.urn;
        reader.emulator.clearRequests();
      },
      async after(reader) {
        const id = (await inState(reader))?.id ?? "";
        reader.stack.declare([]);
        await reader.stack.up();
        expect(reader.emulator.store.batchExports.get(id)).toMatchObject({ deleted: true });
      },
    },
  },
};
