import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLE, hostRunsPacks } from "../../policy/pack";
import { writes } from "../../support/emulator";
import { ROOT } from "../../support/engine";
import type { Declared } from "../../support/stack";
import type { Reader, Visit } from "../reader";

const PREVIEW = "pulumi preview --policy-pack policies";
const WITH_SETTINGS = `${PREVIEW} --policy-pack-config policies.production.json`;
const WITH_STATE = `PULUMI_POSTHOG_STATE="$PWD/state.json" ${PREVIEW}`;

const invite = (address: string): Declared => ({
  class: "Invite",
  name: "guest",
  args: { targetEmail: address },
});
const dashboard = (name: string, tags: string[] = ["team:growth"]): Declared => ({
  class: "Dashboard",
  name: name.toLowerCase(),
  args: { name, tags },
});

/** What a preview of these resources says; it has to be refused. */
async function refused(reader: Reader, line: string, ...program: Declared[]): Promise<string> {
  reader.stack.declare(program);
  const { code, output } = await reader.try(line);
  expect([code === 0, output]).toEqual([false, output]);
  return output;
}

export const policies: Visit = {
  // A language host from before packs were its work starts the same pack by its launcher.
  line: (line) =>
    hostRunsPacks() ? line : line.replace("--policy-pack policies", "--policy-pack policies/run"),
  sections: {
    "Set up a pack": {
      before({ folder, stack, env }) {
        mkdirSync(join(folder, "policies", "node_modules"), { recursive: true });
        symlinkSync(ROOT, join(folder, "policies", "node_modules", "pulumi-posthog"));
        copyFileSync(join(EXAMPLE, "run"), join(folder, "policies", "run"));
        // Its types are checked where all programs of the pages are.
        env["PULUMI_NODEJS_TRANSPILE_ONLY"] = "true";
        stack.declare([invite("ada@example.com"), dashboard("Nobody's", [])]);
      },
      async after(reader) {
        const told = reader.said.get(PREVIEW)?.output;
        expect(told).toMatch(/posthog-dashboard-owner/);
        expect(told).not.toMatch(/mandatory/);
        expect(await refused(reader, PREVIEW, invite("eve@example.org"))).toMatch(
          /posthog-invite-domains[^]*Invite an address of a listed domain/,
        );
        expect(writes(reader.emulator)).toEqual([]);
      },
    },
    "Settings in a file": {
      before({ stack }) {
        // The pack alone refuses the address.
        stack.declare([invite("ada@example.net"), dashboard("Signups")]);
      },
      async after(reader) {
        const program = [invite("ada@example.org"), dashboard("Rows", ["team:data"])];
        const said = await refused(reader, WITH_SETTINGS, ...program);
        expect(said).toContain("data is none of the teams growth");
        expect(said).toContain("example.org, which is not on the list");
        reader.write("policies.production.json", '{ "posthog-owners": { "permitted": [] } }');
        expect(await refused(reader, WITH_SETTINGS, invite("ada@example.com"))).toContain("permitted");
      },
    },
    Deletions: {
      async before({ stack }) {
        const revenue = dashboard("Revenue", ["team:growth", "production"]);
        stack.declare([revenue]);
        await stack.up();
        // As the pack asks; the state does not have the mark yet, and so the engine would let it go.
        stack.declare([{ ...revenue, opts: { protect: true } }]);
      },
      async after(reader) {
        expect(await refused(reader, WITH_STATE)).toContain('Dashboard "revenue" would be deleted');
      },
    },
    "A policy of your own": {
      async after(reader) {
        expect(await refused(reader, PREVIEW, dashboard("signups"))).toContain("acme-dashboard-names");
      },
    },
  },
};
