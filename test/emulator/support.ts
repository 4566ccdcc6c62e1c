import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator";

/** An answer of the emulator, as any HTTP client sees it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. Tests look at the emulator from outside, so nothing is known of its type. */
  readonly json: Loose;
}

/** A parsed JSON body of which a test knows the shape. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Calls the emulator with a key; without one (`null`) no credentials are sent. */
export function asker(emulator: Emulator, key: string | null = emulator.environment.POSTHOG_API_KEY): Ask {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(new URL(path, emulator.url), {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let json: Loose;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  };
}

export interface Bench {
  readonly emulator: Emulator;
  /** With the owner's legacy key. */
  readonly ask: Ask;
  /** The path of the seeded organization, without a slash at its end. */
  readonly organization: string;
  /** The path of the seeded first project, without a slash at its end. */
  readonly project: string;
  /** With the key of the person with this e-mail address. */
  as(email: string): Ask;
}

const running: Emulator[] = [];

/** Starts an emulator for one test; `closeAll` belongs into `afterEach`. */
export async function bench(options: EmulatorOptions = {}): Promise<Bench> {
  const emulator = await startEmulator(options);
  running.push(emulator);
  return {
    emulator,
    ask: asker(emulator),
    organization: `/api/organizations/${emulator.environment.POSTHOG_ORGANIZATION_ID}`,
    project: `/api/projects/${emulator.environment.POSTHOG_PROJECT_ID}`,
    as: (email) => asker(emulator, emulator.createKey({ user: email })),
  };
}

export async function closeAll(): Promise<void> {
  for (const emulator of running.splice(0)) await emulator.close();
}

/** The seeded people. */
export const GRACE = "grace@example.com";
export const ADA = "ada@example.com";
export const ALAN = "alan@example.com";
export const KATHERINE = "katherine@example.com";

export const S3 = { type: "S3", config: { bucket_name: "events", region: "eu-central-1", prefix: "raw/" } };

/** An error body with its four keys and no others. */
export function errorBody(type: string, code: string, detail: unknown, attr: string | null = null) {
  return { type, code, detail, attr };
}

export const validationError = (code: string, detail: unknown, attr: string | null = null) =>
  errorBody("validation_error", code, detail, attr);

export const denied = (detail = "You do not have permission to perform this action.") =>
  errorBody("authentication_error", "permission_denied", detail);
