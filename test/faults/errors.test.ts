import { type Emulator, startEmulator, writes } from "../support/emulator";
import { openStack, type Operation, type Run, type Stack } from "../support/stack";
import { answering, type Host, NOBODY, untrustedHost } from "./hosts";

/*
 * What goes wrong before anything is right: each a single error that says what to do, through the real engine, and
 * nothing left behind that the next run does not heal.
 */
let emulator: Emulator;
let stack: Stack;
let host: Host | undefined;
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await openStack({ emulator });
  stack.declare([{ class: "Dashboard", name: "board", args: { name: "Board" } }]);
});
afterEach(async () => {
  await stack.close();
  await emulator.close();
  await host?.close();
  host = undefined;
});

const boards = () => emulator.store.dashboards.filter(({ name, deleted }) => name === "Board" && !deleted);

const LOGIN_PAGE =
  "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>";

interface Situation {
  readonly title: string;
  /** Environment in which operations fail. */
  spoil(): Promise<Record<string, string>> | Record<string, string>;
  /** What the error says, one after the other. */
  readonly says: RegExp;
  /** What refresh and destroy say, where that differs. */
  readonly saysLater?: RegExp;
  /** Seconds that a request may take: what is well has to be done by then, too, on a machine that is busy. */
  readonly deadline?: string;
}

async function at(started: Promise<Host>): Promise<Record<string, string>> {
  host = await started;
  return { POSTHOG_HOST: host.url };
}

const situations: readonly Situation[] = [
  {
    title: "a wrong key",
    spoil: () => ({ POSTHOG_API_KEY: "phx_not_the_right_one" }),
    says: /Dashboard "board".*401.*does not accept the key.*pulumi config set --secret posthog:apiKey.*POSTHOG_API_KEY/s,
  },
  {
    title: "a key without the scope",
    spoil: () => ({ POSTHOG_API_KEY: emulator.createKey({ scopes: ["organization:read"] }) }),
    says: /Dashboard "board".*403.*Add the scope dashboard:write to the key/s,
    saysLater: /Dashboard "board".*403.*Add the scope dashboard:(read|write) to the key/s,
  },
  {
    title: "a host where nobody listens",
    spoil: () => at(Promise.resolve(NOBODY)),
    says: /Dashboard "board".*cannot be reached \(ECONNREFUSED\).*Check posthog:host \(POSTHOG_HOST\)/s,
  },
  {
    title: "a host that takes requests and never answers",
    spoil: () => at(answering(() => undefined)),
    says: /Dashboard "board".*did not answer in time/s,
    deadline: "10",
  },
  {
    title: "a certificate that does not fit",
    spoil: () => at(untrustedHost()),
    says: /Dashboard "board".*no safe connection.*certificate.*NODE_EXTRA_CA_CERTS/s,
  },
  {
    title: "a proxy's login page",
    spoil: () =>
      at(answering((_, response) => response.setHeader("content-type", "text/html").end(LOGIN_PAGE))),
    says: /Dashboard "board".*something other than JSON.*proxy's login page/s,
  },
  {
    title: "a proxy that refuses",
    spoil: () =>
      at(
        answering((_, response) =>
          response
            .writeHead(403, { "content-type": "text/html" })
            .end(LOGIN_PAGE.replace("Sign in", "Denied")),
        ),
      ),
    says: /Dashboard "board".*403.*web page.*proxy or firewall before it, or posthog:host/s,
  },
];

/** One error for the resource, in words for a person. */
function expectOneError(run: Run, says: RegExp, secret: string): void {
  expect(run.code).not.toBe(0);
  const about = run.diagnostics.filter(
    ({ severity, message }) => severity === "error" && message.includes('Dashboard "board"'),
  );
  expect(about.map(({ message }) => message)).toHaveLength(1);
  expect(about[0]?.message).toMatch(says);
  expect(run.output).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  expect(run.output).not.toContain(secret);
}

describe.each(situations)("$title", ({ spoil, says, saysLater = says, deadline }) => {
  test("up says so in one error, and the next run is as if nothing had been", async () => {
    if (deadline !== undefined) await stack.setConfig("posthog:requestDeadline", deadline);
    const good = { ...stack.env };
    const bad = await spoil();
    Object.assign(stack.env, bad);
    expectOneError(await stack.up(), says, bad["POSTHOG_API_KEY"] ?? "phx_");
    expect(boards()).toEqual([]);

    Object.assign(stack.env, good);
    const up = await stack.up();
    expect(up.errors).toBe("");
    expect(boards()).toHaveLength(1);

    // What is there stays there and in the state, whatever cannot be asked now.
    Object.assign(stack.env, bad);
    const operations: readonly Operation[] = ["refresh", "destroy"];
    for (const operation of operations)
      expectOneError(await stack.start(operation).done, saysLater, bad["POSTHOG_API_KEY"] ?? "phx_");
    Object.assign(stack.env, good);
    expect(boards()).toHaveLength(1);
    emulator.clearRequests();
    expect((await stack.preview({ refresh: true, expectNoChanges: true })).code).toBe(0);
    expect(writes(emulator)).toEqual([]);
  });
});
