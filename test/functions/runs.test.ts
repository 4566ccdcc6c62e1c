import * as pulumi from "@pulumi/pulumi";
import { closeConnections } from "../../src/client/transport";
import { getDashboards, getMember, getMembers, getOrganization } from "../../src/functions";
import { type Emulator, startEmulator } from "../support/emulator";

/*
 * With the Automation API one process runs several programs, or one program several times: what is asked once in a run
 * is asked anew in the next, and never answered from what another stack was told.
 */

const emulators: Emulator[] = [];
const before = { ...process.env };
afterEach(async () => {
  process.env = { ...before };
  await closeConnections();
  await Promise.all(emulators.splice(0).map((emulator) => emulator.close()));
});

/** Begins a run of a program, configured for that emulator. */
async function begin({ environment }: Pick<Emulator, "environment">): Promise<void> {
  Object.assign(process.env, environment);
  await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
}

async function emulate(name: string): Promise<Emulator> {
  const emulator = await startEmulator();
  emulators.push(emulator);
  rename(emulator, name);
  return emulator;
}

function rename({ store: { organizations } }: Emulator, name: string): void {
  for (const one of organizations.all()) organizations.update(one, { name });
}

test("a run asks anew what the one before it has asked, and each question once", async () => {
  const emulator = await emulate("Before");
  await begin(emulator);
  const ask = () => getOrganization({ organizationId: "@current" });
  expect((await ask()).name).toBe("Before");
  rename(emulator, "After");
  expect((await ask()).name).toBe("Before");

  await begin(emulator);
  emulator.clearRequests();
  const [one, other] = await Promise.all([ask(), ask()]);
  expect([one.name, other.name]).toEqual(["After", "After"]);
  const asked = emulator.requests.map(({ path }) => path);
  expect(asked.filter((path, index) => asked.indexOf(path) !== index)).toEqual([]);
});

test("two stacks with the same question are answered by their own services", async () => {
  const [us, eu] = [await emulate("US"), await emulate("EU")];
  await begin(us);
  expect((await getOrganization({})).name).toBe("US");
  await begin(eu);
  expect((await getOrganization({})).name).toBe("EU");
});

test("what another service was asked answers nothing, even in the same run", async () => {
  const [us, eu] = [await emulate("US"), await emulate("EU")];
  await begin(us);
  const here = await getDashboards({});
  Object.assign(process.env, eu.environment);
  eu.clearRequests();
  expect(await getDashboards({})).toEqual(here);
  expect(eu.requests.map(({ method }) => method)).toEqual(["GET"]);
});

test("of two functions with the same question that is refused, each is named", async () => {
  const emulator = await emulate("Refused");
  await begin(emulator);
  process.env["POSTHOG_API_KEY"] = emulator.createKey({ scopes: ["dashboard:read"] });
  const said = await Promise.allSettled([getMembers({}), getMember({ email: "ada@example.com" })]);
  const reasons = said.map((one) => (one.status === "rejected" ? String(one.reason) : "answered"));
  expect(reasons).toEqual([
    expect.stringMatching(/asking getMembers: GET .*\/members\/ answered 403/),
    expect.stringMatching(/asking getMember: GET .*\/members\/ answered 403/),
  ]);
  expect(emulator.requests).toHaveLength(1);
});
