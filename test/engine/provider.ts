import type { dynamic } from "@pulumi/pulumi";
import { useConfig } from "../../src/engine/requests/connection";
import { HIDDEN } from "../../src/engine/state/state";
import { provider } from "../../src/runtime";
import type { Emulator } from "../../src/emulator";

type Props = Record<string, unknown>;

/** What an object went through when it was declared, applied and looked at again, with the provider alone. */
export interface Applied {
  readonly id: string;
  readonly inputs: Props;
  readonly outs: Props;
  /** Difference of the same program against what was just stored. */
  readonly again: dynamic.DiffResult;
  /** Difference of the same program against a read of the object. */
  readonly afterRead: dynamic.DiffResult;
  /** Arguments that the read says have changed; undefined where it says nothing of the kind. */
  readonly drift: Props | undefined;
  /** Lines for the person. */
  readonly said: readonly string[];
}

/** Everything that the provider prints while the callback runs. */
export async function listen<T>(run: () => Promise<T>): Promise<{ result: T; said: string[] }> {
  const said: string[] = [];
  const spy = jest.spyOn(console, "log").mockImplementation((line: unknown) => void said.push(String(line)));
  try {
    return { result: await run(), said };
  } finally {
    spy.mockRestore();
  }
}

/** Configures the provider as the engine would, by stack configuration alone. */
export function configure(settings: Readonly<Record<string, string | undefined>>): void {
  useConfig((key) => settings[key]);
}

/** Configures the provider for an emulator. */
export function configureFor({ environment }: Pick<Emulator, "environment">): void {
  configure({
    "posthog:host": environment.POSTHOG_HOST,
    "posthog:apiKey": environment.POSTHOG_API_KEY,
    "posthog:projectId": environment.POSTHOG_PROJECT_ID,
    "posthog:organizationId": environment.POSTHOG_ORGANIZATION_ID,
  });
}

/** Checks the arguments of a resource that is not in the state. */
export async function checked(kind: string, name: string, args: Props): Promise<dynamic.CheckResult> {
  const check = verb(provider(kind), "check");
  return await check({}, overTheWire({ ...args, [HIDDEN.name]: name, [HIDDEN.provider]: "text" }));
}

/** Declares an object, applies it, previews it again, reads it, and previews once more. */
export async function applied(kind: string, name: string, args: Props): Promise<Applied> {
  const kindProvider = provider(kind);
  const check = verb(kindProvider, "check");
  const diff = verb(kindProvider, "diff");
  const read = verb(kindProvider, "read");
  const { result, said } = await listen(async () => {
    const news = overTheWire({ ...args, [HIDDEN.name]: name, [HIDDEN.provider]: "text" });
    const first = await check({}, news);
    if (first.failures?.length) throw new Error(first.failures.map(({ reason }) => reason).join("; "));
    const inputs = withProvider(first.inputs);
    const { id, outs: made } = await kindProvider.create(inputs);
    const outs = withProvider(made);
    const second = withProvider((await check(inputs, news)).inputs);
    const again = await diff(id, outs, second);
    const seen = await read(id, outs);
    const afterRead = await diff(id, withProvider(seen.props), second);
    return { id, inputs, outs, again, afterRead, drift: seen.inputs };
  });
  return { ...result, said };
}

function verb<K extends keyof dynamic.ResourceProvider>(of: dynamic.ResourceProvider, name: K) {
  const method = of[name];
  if (method === undefined) throw new Error(`the provider has no ${name}`);
  // Bound: the verbs of the lifecycle are methods.
  return method.bind(of) as NonNullable<dynamic.ResourceProvider[K]>;
}

/** The host adds the provider's text to whatever a verb returns. */
function withProvider(props: unknown): Props {
  return { ...overTheWire(props), [HIDDEN.provider]: "text" };
}

/** What is left of values between the processes: JSON. */
function overTheWire(props: unknown): Props {
  return JSON.parse(JSON.stringify(props ?? {})) as Props; // It was an object before.
}
