import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmulatorOptions } from "../../src/emulator";
import { type Emulator, startEmulator } from "../support/emulator";
import { kinds, slugsOf } from "./cases";

/** An emulator in which the tables' names stand for something, and the hands of someone else. */
export interface World {
  readonly emulator: Emulator;
  /** What `{ $world: name }` stands for. */
  readonly values: Readonly<Record<string, string | number>>;
  /** Ends the emulator, and removes what it stood on. */
  close(): Promise<void>;
}

/** Someone else's answer to a request: its status and its body as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Starts an emulator with a second organization and project, dashboards to copy, pictures, and what each kind stands on. */
export async function openWorld(options: EmulatorOptions = {}): Promise<World> {
  const emulator = await startEmulator(options);
  const { POSTHOG_ORGANIZATION_ID: organization, POSTHOG_PROJECT_ID: project } = emulator.environment;
  const other = await made(emulator, "/api/organizations/", { name: "Another organization" });
  const dashboards = `/api/projects/${project}/dashboards/`;
  const otherProject = emulator.store.projects.find(
    (row) => row.organization_id === organization && String(row.id) !== project,
  );
  if (!otherProject) throw new Error("the emulator's organization has one project only");
  const values: Record<string, string | number> = {
    organization,
    otherOrganization: String(other["id"]),
    project,
    projectNumber: Number(project),
    otherProject: String(otherProject.id),
    dashboard: Number((await made(emulator, dashboards, { name: "A model" }))["id"]),
    otherDashboard: Number((await made(emulator, dashboards, { name: "Another model" }))["id"]),
    media: emulator.addMedia(),
    otherMedia: emulator.addMedia(),
    nobody: randomUUID(),
  };
  const folder = await mkdtemp(join(tmpdir(), "world-"));
  const site = {
    emulator,
    values,
    folder,
    made: (path: string, body: unknown) => made(emulator, path, body),
  };
  for (const kind of kinds) Object.assign(values, await kind.prepare?.(site, slugsOf(kind)));
  const close = async (): Promise<void> => {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { emulator, values, close };
}

/** Makes an object by someone else's hand; throws where the service refuses. */
export async function made(
  emulator: Emulator,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const answer = await ask(emulator, "POST", path, body);
  if (answer.status > 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Record<string, unknown>; // what the emulator answers to a successful POST
}

/** A request of someone else, with a key of their own. */
export async function ask(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(new URL(path, emulator.url), {
    method,
    headers: {
      authorization: `Bearer ${emulator.environment.POSTHOG_API_KEY}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** The value with every `{ $world: name }` and, where asked for, every `{ $secret: value }` replaced by what it stands for. */
export function settled(world: World, value: unknown, { secrets = false } = {}): unknown {
  if (Array.isArray(value)) return value.map((member) => settled(world, member, { secrets }));
  if (typeof value !== "object" || value === null) return value;
  const [[form, inner] = ["", undefined]] = Object.entries(value);
  if (form === "$world") {
    const found = world.values[String(inner)];
    if (found === undefined) throw new Error(`the world has no ${String(inner)}`);
    return found;
  }
  if (form === "$secret" && secrets) return settled(world, inner, { secrets });
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, settled(world, member, { secrets })]),
  );
}
