import { startEmulator, writes } from "../support/emulator";
import { openStack } from "../support/stack";

/** What an `up` went through below a rate limit. */
export interface LimitResult {
  readonly limit: string;
  readonly dashboards: number;
  readonly seconds: number;
  /** Requests that the service took, and those that it refused by 429. */
  readonly accepted: number;
  readonly refused: number;
  /** The waits as the person was told. */
  readonly waits: readonly string[];
  readonly problems: readonly string[];
}

export interface LimitPlan {
  readonly limit: string;
  readonly dashboards: number;
  readonly timeoutMs?: number;
  /** Whether the service's clock stands still until it refuses something: then it does so however slow this machine is. */
  readonly isMet?: boolean;
}

/** Stands still until it is told to go. */
class StandingClock {
  private readonly from = Date.now();
  private wentAt: number | undefined;

  go(): void {
    this.wentAt ??= Date.now();
  }
  now(): Date {
    return new Date(this.wentAt === undefined ? this.from : this.from + Date.now() - this.wentAt);
  }
}

/** Makes so many dashboards at a service that limits requests: none may fail, none may come to be twice. */
export async function underRateLimit({
  limit,
  dashboards,
  timeoutMs,
  isMet = false,
}: LimitPlan): Promise<LimitResult> {
  const clock = new StandingClock();
  const emulator = await startEmulator({ rateLimit: limit, ...(isMet ? { now: () => clock.now() } : {}) });
  const watch = setInterval(() => {
    if (emulator.requests.some(({ status }) => status === 429)) clock.go();
  }, 10);
  // Without a state that is written at every step, for a service that is asked faster than it allows.
  const env = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
  const stack = await openStack({ emulator, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  try {
    stack.declare(
      Array.from({ length: dashboards }, (_, index) => ({
        class: "Dashboard",
        name: `board-${index}`,
        args: { name: `Board ${index}` },
      })),
    );
    const began = Date.now();
    const up = await stack.up();
    const seconds = Math.round((Date.now() - began) / 1000);
    const made = new Set(emulator.store.dashboards.all().map(({ name }) => name));
    const count = emulator.store.dashboards.size;
    const sent = writes(emulator);
    const refused = sent.filter(({ status }) => status === 429).length;
    return {
      limit,
      dashboards,
      seconds,
      accepted: sent.length - refused,
      refused,
      waits: [...new Set(up.output.match(/waiting \d+ s: .*/g))],
      problems: [
        ...(up.code === 0 ? [] : [`up failed: ${up.errors}`]),
        ...(made.size === dashboards ? [] : [`${made.size} of ${dashboards} were made`]),
        ...(count === made.size ? [] : [`${count - made.size} came to be twice`]),
      ],
    };
  } finally {
    clearInterval(watch);
    await stack.close();
    await emulator.close();
  }
}
