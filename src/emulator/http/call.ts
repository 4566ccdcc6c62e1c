import { malformedJson, notFound, unsupportedMediaType } from "./errors";
import { type Json, parseJson } from "../fields/json";
import type { ApiKey, Membership, Organization, Project, User } from "../store/entities";
import type { World } from "../world/world";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** What a handler answers. Without a body the answer has none, not even `null`. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

export interface RawRequest {
  readonly method: Method;
  /** Absolute, as the client wrote it: pages link to their neighbours with it. */
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  /** The body; undefined where it is not UTF-8. */
  readonly text: string | undefined;
}

/** Who calls, found before a handler runs. */
export interface Caller {
  readonly user: User;
  readonly key: ApiKey;
}

/** One request on its way through authentication, permissions and its handler. */
export class Call {
  caller: Caller | undefined;
  /** Set for routes below an organization or a project. */
  scope: { organization: Organization; project: Project | undefined; membership: Membership } | undefined;
  private parsed: { value: Json } | undefined;

  constructor(
    readonly world: World,
    readonly request: RawRequest,
    readonly template: string,
    private readonly parameters: Readonly<Record<string, string>>,
  ) {}

  get method(): Method {
    return this.request.method;
  }

  get query(): URLSearchParams {
    return this.request.url.searchParams;
  }

  get key(): Caller["key"] {
    if (!this.caller) throw new Error(`${this.template} asks for its key before it is known`);
    return this.caller.key;
  }
  get user(): User {
    if (!this.caller) throw new Error(`${this.template} asks for its user before it is known`);
    return this.caller.user;
  }

  get organization(): Organization {
    return this.inScope().organization;
  }

  get membership(): Membership {
    return this.inScope().membership;
  }

  get project(): Project {
    const { project } = this.inScope();
    if (!project) throw new Error(`${this.template} has no project`);
    return project;
  }

  /** True for the routes below a project, false for those below an organization. */
  get belowProject(): boolean {
    return this.scope?.project !== undefined;
  }

  parameter(name: string): string {
    const value = this.parameters[name];
    if (value === undefined) throw new Error(`${this.template} has no parameter ${name}`);
    return value;
  }

  has(name: string): boolean {
    return name in this.parameters;
  }

  /** A numeric id of the path; anything else can belong to nothing. */
  numericId(name: string): number {
    const text = this.parameter(name);
    if (!/^\d{1,15}$/.test(text)) throw notFound();
    return Number(text);
  }

  /**
   * The body, read only when a handler wants it, as upstream does: a wrong key is reported before malformed
   * JSON. A request without a body counts as an empty object.
   */
  body(): Json {
    this.parsed ??= { value: this.parseBody() };
    return this.parsed.value;
  }

  private parseBody(): Json {
    const { text, contentType = "" } = this.request;
    if (text === "") return {};
    const mediaType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
    if (mediaType !== "application/json") throw unsupportedMediaType(contentType);
    if (text === undefined) throw malformedJson("JSON parse error - the body is not UTF-8");
    try {
      return parseJson(text);
    } catch {
      throw malformedJson("JSON parse error - the body is not valid JSON");
    }
  }

  private inScope() {
    if (!this.scope) throw new Error(`${this.template} belongs to no organization`);
    return this.scope;
  }
}
