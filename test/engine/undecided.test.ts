import type * as Updates from "../../src/engine/once/updates";
import type * as Runtime from "../../src/runtime";
import type * as Configured from "./provider";
import type { dynamic } from "@pulumi/pulumi";
import { startEmulator, type Emulator, writes } from "../support/emulator";

type Props = Record<string, unknown>;
interface Provider {
  provider: (kind: string) => dynamic.ResourceProvider;
  /** Whoever finds out what has become of a resource takes so long from now on, in milliseconds. */
  linger: (ms: number) => void;
}

let emulator: Emulator;
beforeEach(async () => {
  jest.spyOn(console, "log").mockReturnValue();
  emulator = await startEmulator();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await emulator.close();
});

/** The provider as a new run starts it: it knows of nothing that an earlier one has done. */
function newProcess(): Provider {
  jest.resetModules();
  const { configureFor } = jest.requireActual<typeof Configured>("./provider");
  const { provider } = jest.requireActual<typeof Runtime>("../../src/runtime");
  const { updatesHere } = jest.requireActual<typeof Updates>("../../src/engine/once/updates");
  configureFor(emulator);
  const linger = (ms: number): void => {
    jest
      .spyOn(updatesHere(), "unsettled")
      .mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve(undefined), ms)));
  };
  return { provider, linger };
}

async function inputsOf({ provider }: Provider, olds: Props, args: Props): Promise<Props> {
  const hidden = { __resource: args["name"], __stack: "organization/test/dev", __provider: "text" };
  const { name: _, ...rest } = args;
  const { inputs, failures } = (await provider("TeamMember").check?.(olds, { ...rest, ...hidden })) ?? {};
  expect(failures).toEqual([]);
  return JSON.parse(JSON.stringify(inputs)) as Props; // It was an object before.
}

/** What comes of it where "one" invited ada and is being compared, now for this address, while "two" invites ada. */
async function whileCompared(email: string): Promise<dynamic.DiffResult | undefined> {
  const first = newProcess();
  const olds = await inputsOf(first, {}, { name: "one", email: "ada@example.org", level: "member" });
  const { id, outs } = await first.provider("TeamMember").create(olds);

  const second = newProcess();
  second.linger(500);
  const news = await inputsOf(second, olds, { name: "one", email, level: "member" });
  const other = await inputsOf(second, {}, { name: "two", email: "ada@example.org", level: "admin" });
  emulator.clearRequests();
  const member = second.provider("TeamMember");
  const [diff] = await Promise.all([member.diff?.(id, outs, news), member.create(other)]);
  return diff;
}

test("an invite is not left behind because its resource is being found out to be about somebody else", async () => {
  const diff = await whileCompared("joan@example.org");
  expect(diff?.replaces).toEqual(["email"]);
  expect(writes(emulator).map(({ method }) => method)).toEqual(["DELETE", "POST"]);
  expect(emulator.store.invites.all().map(({ level }) => level)).toEqual([8]);
});

test("an invite is left to the resource that is being found out to stay about the same person", async () => {
  const diff = await whileCompared("ada@example.org");
  expect(diff?.changes).toBe(false);
  expect(emulator.store.invites.all().map(({ level }) => level)).toEqual([1, 8]);
});
