import { writes } from "../../support/emulator";
import type { Declared } from "../../support/stack";
import type { Reader, Visit } from "../reader";

const growth: Declared = { class: "Dashboard", name: "growth", args: { name: "Growth" } };
const board: Declared = { class: "Dashboard", name: "board", args: { name: "Board" } };
const lake: Declared = {
  class: "BatchExport",
  name: "lake",
  args: { name: "Lake", interval: "hour", destination: { type: "NoOp", config: {} } },
};

/** Dashboards and exports by name, those that were put away not among them. */
function existing({ emulator: { store } }: Reader): string[] {
  const dashboards = store.dashboards.filter(({ deleted }) => !deleted);
  return [...dashboards, ...store.batchExports.all()].map(({ name }) => String(name)).sort();
}

async function namesInState({ stack }: Reader): Promise<string[]> {
  const { resources } = (await stack.export()).deployment;
  return resources.flatMap(({ urn, id }) => (id === undefined ? [] : [urn.split("::").pop() ?? ""])).sort();
}

export const recovery: Visit = {
  sections: {
    "Someone deleted or changed things in PostHog": {
      async before({ stack, emulator }) {
        stack.declare([growth, lake]);
        await stack.up();
        const { dashboards, batchExports } = emulator.store;
        dashboards.update(dashboards.require(1), { deleted: true });
        batchExports.delete(batchExports.all()[0]?.id ?? "");
      },
      after(reader) {
        expect(existing(reader)).toEqual(["Growth", "Lake"]);
        expect(reader.emulator.store.dashboards.size).toBe(1);
      },
    },
    "A run was killed": {
      // Made, and killed before anybody was told of it.
      async before(reader) {
        const { stack, emulator } = reader;
        stack.declare([growth, board, lake]);
        // The look before it is let through.
        emulator.faults.add("GET /dashboards/$ slow=1 x1");
        emulator.faults.add("POST /dashboards/$ reset-after x1; GET /dashboards/$ slow=60000");
        const running = stack.start("up");
        while (!existing(reader).includes("Board")) await new Promise((resolve) => setTimeout(resolve, 5));
        running.killAll();
        await running.done;
        emulator.faults.clear();
        expect((await stack.up()).output).toMatch(/locked/);
      },
      after(reader) {
        expect(reader.said.get("pulumi up --yes")?.output).toMatch(/took over/);
        expect(existing(reader)).toEqual(["Board", "Growth", "Lake"]);
      },
    },
    "The state is lost": {
      async before({ stack, emulator }) {
        await stack.importState({ version: 3, deployment: { resources: [] } });
        const [theirs] = emulator.store.batchExports.all();
        const ids = [1, 2, theirs?.id].map(String);
        stack.declare(
          [growth, board, lake].map((one, index) => ({ ...one, args: { ...one.args, adoptId: ids[index] } })),
        );
        emulator.clearRequests();
      },
      async after(reader) {
        expect(writes(reader.emulator)).toEqual([]);
        expect(await namesInState(reader)).toEqual(expect.arrayContaining(["board", "growth", "lake"]));
      },
    },
    "An organization or a project is gone": {
      async before({ stack, env }) {
        stack.declare([growth, board]);
        const { resources } = (await stack.export()).deployment;
        env["URN"] = resources.find(({ urn }) => urn.endsWith("::lake"))?.urn;
      },
      async after(reader) {
        expect(await namesInState(reader)).not.toContain("lake");
        expect(existing(reader)).toContain("Lake");
      },
    },
  },
};
