import type { CapturedEvent } from "./events";
import { type CaptureSummary, ProjectEvents } from "./project";

/** How captured events are kept: `keep` merges repetitions as the service does, `count` only counts what arrives. */
export type CaptureMode = "keep" | "count";

/** Events that were accepted by batch capture, by project key. */
export class CaptureStore {
  private readonly projects = new Map<string, ProjectEvents>();
  private readonly quotas = new Set<string>();

  constructor(private readonly mode: CaptureMode = "keep") {}

  /** Number of different events held, over all project keys. */
  get count(): number {
    return [...this.projects.values()].reduce((sum, project) => sum + project.events, 0);
  }

  /** The project keys that sent something. The service knows no wrong key: it would take such events and lose them. */
  get keys(): string[] {
    return [...this.projects.keys()];
  }

  /** What one project's events come to. */
  summary(projectApiKey: string): CaptureSummary {
    return (this.projects.get(projectApiKey) ?? new ProjectEvents(true)).summary();
  }

  /** From now on the project is over its quota, or no longer: its events are answered with 200 and dropped. */
  limit(projectApiKey: string, limited: boolean): void {
    if (limited) this.quotas.add(projectApiKey);
    else this.quotas.delete(projectApiKey);
  }

  isLimited(projectApiKey: string): boolean {
    return this.quotas.has(projectApiKey);
  }

  private project(projectApiKey: string): ProjectEvents {
    let project = this.projects.get(projectApiKey);
    if (project === undefined) {
      project = new ProjectEvents(this.mode === "keep");
      this.projects.set(projectApiKey, project);
    }
    return project;
  }

  countRequest(projectApiKey: string, historical: boolean): void {
    this.project(projectApiKey).countRequest(historical);
  }

  add(projectApiKey: string, event: CapturedEvent): void {
    this.project(projectApiKey).add(event);
  }

  drop(projectApiKey: string, events: number): void {
    this.project(projectApiKey).drop(events);
  }

  clear(): void {
    this.projects.clear();
    this.quotas.clear();
  }

  /** What the emulator's data file keeps. */
  snapshot(): unknown {
    return { projects: [...this.projects].map(([key, project]) => [key, project.snapshot()]) };
  }

  /** Takes on what {@link snapshot} gave; anything else is left alone. */
  restore(saved: unknown): void {
    if (
      typeof saved !== "object" ||
      saved === null ||
      !("projects" in saved) ||
      !Array.isArray(saved.projects)
    )
      return;
    for (const entry of saved.projects as readonly unknown[]) {
      if (Array.isArray(entry) && typeof entry[0] === "string") this.project(entry[0]).restore(entry[1]);
    }
  }
}
