import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { posthogPolicies } from "../../src/policy";
import { ensureBuilt } from "../package/built";
import { startEmulator, type Emulator, writes } from "../support/emulator";
import { openStack, type Stack } from "../support/stack";
import { readyPack } from "./lists";
import { type Judged, Pack } from "./pack";
import { bad, good } from "./programs";

const LISTS = readyPack();
const ADVISORY = LISTS.replace('"mandatory"', '"advisory"');
const NAMES = posthogPolicies().map(({ name }) => name);

let emulator: Emulator;
let stack: Stack;
beforeAll(ensureBuilt);
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
  const event = { event: "seen", distinct_id: "ada", timestamp: "2024-01-01T00:00:00Z" };
  writeFileSync(join(stack.folder, "events.ndjson"), `${JSON.stringify(event)}\n`);
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
});

/** What is wrong, as `POLICY RESOURCE: MESSAGE`, without the policy's description. */
function found({ violations }: Judged): string[] {
  return violations.map(
    ({ policy, name, message }) => `${policy} ${name}: ${message.split("\n").slice(1).join(" ").trim()}`,
  );
}

test("a stack that keeps to all policies passes each of them", async () => {
  const pack = new Pack(stack, LISTS);
  stack.declare(good);
  const judged = await pack.judge("preview");
  expect(found(judged)).toEqual([]);
  expect([judged.run.code, judged.run.errors]).toEqual([0, ""]);
});

/** Policy, resource, and what is said of it; every policy at least once. */
const VIOLATIONS: readonly (readonly [policy: string, name: string, message: RegExp])[] = [
  ["posthog-two-factor", "acme", /enforce2fa is not true/],
  ["posthog-single-sign-on", "company", /example\.com is verified, and ssoEnforcement is not set/],
  ["posthog-single-sign-on", "other", /enforces gitlab, which is not among saml, google-oauth2/],
  ["posthog-break-glass", "posthog-test-test", /break-glass@example\.net is no owner of this program/],
  ["posthog-protect", "acme", /every Organization is to be protected/],
  ["posthog-protect", "company", /every Domain is to be protected/],
  ["posthog-protect", "lake", /every BatchExport is to be protected/],
  ["posthog-protect", "kpis", /a pinned dashboard is to be protected/],
  ["posthog-protect", "sales", /a dashboard tagged "production" is to be protected/],
  ["posthog-no-deletion", "posthog-test-test", /"gone" is to be kept/],
  ["posthog-owners", "insider", /insider@example\.org would be an owner/],
  ["posthog-owners", "analysts", /grace@example\.com would be an owner/],
  ["posthog-invite-domains", "insider", /example\.org, which is not on the list/],
  ["posthog-invite-domains", "stranger", /stranger@mail\.example has an address of mail\.example/],
  ["posthog-invite-domains", "analysts", /joan@else\.example/],
  ["posthog-plain-secrets", "warehouse", /destination\.config\.password is written in plain text/],
  ["posthog-plain-secrets", "warehouse", /destination\.config\.user is written in plain text/],
  ["posthog-plain-secrets", "kpis", /description holds a personal API key of PostHog/],
  ["posthog-plain-secrets", "history", /projectApiKey is written in plain text/],
  ["posthog-export-destinations", "lake", /region us-east-1 is not among eu-\*/],
  ["posthog-export-destinations", "lake", /target elsewhere is not among acme-\*/],
  ["posthog-export-destinations", "warehouse", /type Postgres are not on the list/],
  ["posthog-export-pauses", "warehouse", /no day is named on which it goes on/],
  ["posthog-dashboard-owner", "kpis", /none of its tags starts with "team:"/],
  ["posthog-dashboard-owner", "sales", /unheard-of is none of the teams growth, data, platform/],
  ["posthog-import-announced", "history", /20000 events a minute are above the 10,000/],
  ["posthog-import-announced", "history", /no confirmation is named/],
  ["posthog-import-rehearsed", "history", /depends on no rehearsal/],
];

test("every violation is told, by policy and resource, and no secret with it", async () => {
  const pack = new Pack(stack, ADVISORY);
  stack.declare(bad);
  const judged = await pack.judge("preview", { "posthog-no-deletion": { keep: ["gone", "acme"] } });
  expect([judged.run.code, judged.run.errors]).toEqual([0, ""]);
  const said = found(judged);
  for (const [policy, name, message] of VIOLATIONS) {
    const about = said.filter((line) => line.startsWith(`${policy} ${name}: `));
    expect(about.some((line) => message.test(line)) || [policy, name, about]).toBe(true);
  }
  expect(said).toHaveLength(VIOLATIONS.length);
  expect([...new Set(judged.violations.map(({ policy }) => policy))].sort()).toEqual([...NAMES].sort());
  expect(new Set(judged.violations.map(({ level }) => level))).toEqual(new Set(["advisory"]));
  expect(JSON.stringify(judged)).not.toMatch(/hush-|phx_abc|phc_abc/);
});

test("a mandatory violation stops the preview and the update, before anything is sent", async () => {
  const pack = new Pack(stack, LISTS);
  stack.declare([{ class: "Invite", name: "stranger", args: { targetEmail: "stranger@mail.example" } }]);
  for (const operation of ["preview", "up"] as const) {
    const { run, violations } = await pack.judge(operation);
    expect(run.code).not.toBe(0);
    expect(violations).toMatchObject([{ policy: "posthog-invite-domains", level: "mandatory" }]);
    expect(run.output).toContain("Invite an address of a listed domain");
  }
  expect(writes(emulator)).toEqual([]);
  const allowed = { "posthog-invite-domains": { domains: ["mail.example"] } };
  expect((await pack.judge("up", allowed)).run.code).toBe(0);
  expect(writes(emulator)).toHaveLength(1);
});

test("organizations and production dashboards cannot be deleted once the state is known", async () => {
  const pack = new Pack(stack, LISTS);
  const all = [
    { class: "Organization", name: "acme", args: { name: "Acme", enforce2fa: true } },
    { class: "Dashboard", name: "numbers", args: { name: "Numbers", tags: ["team:data"] } },
    { class: "Dashboard", name: "revenue", args: { name: "Revenue", tags: ["team:data"] } },
  ];
  stack.declare(all);
  expect((await stack.up()).code).toBe(0);
  const state = join(stack.folder, "state.json");
  await stack.cli(["stack", "export", "--file", state], { check: true });
  stack.env["PULUMI_POSTHOG_STATE"] = state;
  // The engine itself refuses to delete what is protected; this is about the rest.
  const here = { "posthog-no-deletion": { stacks: ["test"] }, "posthog-protect": "disabled" };
  expect(found(await pack.judge("preview", here))).toEqual([]);

  stack.declare([{ ...all[2]!, args: { ...all[2]!.args, useTemplate: "Product analytics" } }]);
  const refused = await pack.judge("preview", here);
  expect(refused.run.code).not.toBe(0);
  expect(found(refused).sort()).toEqual([
    'posthog-no-deletion posthog-test-test: Dashboard "numbers" would be deleted',
    'posthog-no-deletion posthog-test-test: Organization "acme" would be deleted',
    'posthog-no-deletion revenue: a new useTemplate would put dashboard "revenue" away',
  ]);

  stack.declare([all[0]!, all[2]!]);
  expect((await pack.judge("preview", here)).run.code).not.toBe(0);
  // In a stack that is not production's, anything goes; so it does where the list names it.
  expect((await pack.judge("preview", { "posthog-protect": "disabled" })).run.code).toBe(0);
  const named = { ...here, "posthog-no-deletion": { stacks: ["test"], except: ["numb*"] } };
  expect((await pack.judge("preview", named)).run.code).toBe(0);
});

test("the ready pack runs as it is", async () => {
  const pack = new Pack(stack);
  stack.declare([{ class: "Dashboard", name: "nobodys", args: { name: "Nobody's", tags: ["team:nobody"] } }]);
  const { run, violations } = await pack.judge("preview");
  expect(run.code).toBe(0);
  expect(violations).toMatchObject([{ policy: "posthog-dashboard-owner", level: "advisory" }]);
});
