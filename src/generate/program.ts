import { z } from "zod";
import { nameOf, WITHHELD } from "../engine/values/fields";
import { isEmpty, isObject, textAt, toJson, type Json } from "../engine/values/json";
import { inner, liveArgument } from "../engine/values/wire";
import { Code, type Written, type WrittenObject } from "./code";
import { declare, type DeclareOptions } from "./declare";
import { keyOf, labelOf, type Existing, type Project } from "./existing";
import { isProtected, KINDS, referredType } from "./kinds";
import { fileVariable, type Names } from "./names";
import type { Omitted, Reading } from "./read";

/** The file that holds projects and configuration. */
export const SETTINGS = "settings";
const CONFIG = { name: "config", from: SETTINGS };
/** The same on every machine: brand-6 before brand-16. */
const byLabel = new Intl.Collator("en", { numeric: true });

/** How programs are written. */
export interface ProgramOptions extends DeclareOptions {
  /** Whether resources are protected from deletion. */
  readonly protect: boolean;
}

/** One declaration of the program. */
export interface Statement {
  /** The same in every run. */
  readonly key: string;
  readonly identifier: string;
  /** Line above it. */
  readonly comment: string | undefined;
  /** `new posthog.CLASS("name", ARGUMENTS, OPTIONS)`; undefined for a plain value. */
  readonly resource:
    { readonly type: string; readonly name: string; readonly isProtected: boolean } | undefined;
  readonly value: Written;
}

/** A secret that a person has to give. */
export interface Secret {
  /** Key in the stack's configuration. */
  readonly key: string;
  /** The resource that it is a secret of, for people. */
  readonly of: string;
}

/** What the files of a program say. */
export interface Program {
  /** Declarations by file, without `.ts`, in the order in which the program loads the files. */
  readonly areas: ReadonlyMap<string, readonly Statement[]>;
  readonly secrets: readonly Secret[];
  readonly omitted: readonly Omitted[];
}

/** The program that takes over what was read. */
export function programOf(reading: Reading, names: Names, options: ProgramOptions): Program {
  const made = new Making(reading, names, options);
  return made.program();
}

class Making {
  private readonly areas = new Map<string, Statement[]>();
  private readonly secrets: Secret[] = [];
  private readonly omitted: Omitted[] = [];
  /** Keys of the objects that are written. */
  private readonly declared = new Set<string>();

  private readonly usedProjects: readonly Project[];

  constructor(
    private readonly reading: Reading,
    private readonly names: Names,
    private readonly options: ProgramOptions,
  ) {
    this.omitted.push(...reading.omitted);
    const used = new Set(reading.existing.map(({ place }) => place["projectId"]));
    this.usedProjects = reading.projects.filter(({ id }) => used.has(id));
  }

  program(): Program {
    const settings: Statement[] = [];
    this.areas.set(SETTINGS, settings);
    for (const project of this.usedProjects) settings.push(this.project(project));
    for (const existing of inOrder(this.reading)) this.add(existing);
    if (this.secrets.length > 0) {
      const value = new Code("new pulumi.Config()", { name: "pulumi", from: "@pulumi/pulumi" });
      settings.unshift({
        key: "config",
        identifier: CONFIG.name,
        comment: "The stack's configuration.",
        resource: undefined,
        value,
      });
    }
    if (settings.length === 0) this.areas.delete(SETTINGS);
    return { areas: this.areas, secrets: this.secrets, omitted: this.omitted };
  }

  private project(project: Project): Statement {
    return {
      key: projectKey(project.id),
      identifier: this.projectVariable(project),
      comment: `The project "${project.name || project.id}".`,
      resource: undefined,
      value: project.id,
    };
  }

  private projectVariable({ id, name }: Project): string {
    const words = name.replace(/\bproject\b/gi, "");
    return this.names.variable(projectKey(id), `${slugged(words)}-project`, `project-${id}`);
  }

  private add(existing: Existing): void {
    const { kind, key, id, object, parent } = existing;
    const label = labelOf(object, id);
    if (parent !== undefined && !this.declared.has(parent.key)) {
      this.omitted.push({ kind, label, reason: `what it belongs to is left out` });
      return;
    }
    const declared = declare(existing, this.options);
    if ("reason" in declared) {
      this.omitted.push({ kind, label, reason: declared.reason });
      return;
    }
    for (const path of declared.undeclared) {
      const reason = "this version cannot declare the value that it has; it stays as it is";
      this.omitted.push({ kind, label: `${path} of ${label}`, reason });
    }
    const { name, identifier } = this.names.of(existing, this.projectName(existing));
    const args: Record<string, Written> = {};
    for (const argument of Object.keys(kind.definition.inputs)) {
      const value = declared.args[argument];
      if (value === undefined) continue;
      args[argument] = this.written(existing, argument, value, identifier);
      for (const part of unshown(existing, argument, value)) {
        const reason = "this version does not know what of it is secret; it stays as it is";
        this.omitted.push({ kind, label: `${argument}.${part} of ${label}`, reason });
      }
    }
    const value: WrittenObject = { ...args, adoptId: id };
    const resource = { type: kind.type, name, isProtected: this.options.protect && isProtected(kind) };
    const statements = this.areas.get(kind.area) ?? [];
    this.areas.set(kind.area, statements);
    statements.push({ key, identifier, comment: undefined, resource, value });
    this.declared.add(key);
  }

  /** What tells objects of the same name in several projects apart. */
  private projectName({ place }: Existing): string | undefined {
    return this.usedProjects.slice(1).find(({ id }) => id === place["projectId"])?.name;
  }

  private written(
    { kind, object, id, place }: Existing,
    argument: string,
    value: unknown,
    identifier: string,
  ): Written {
    const project =
      argument === "projectId" ? this.reading.projects.find(({ id }) => id === value) : undefined;
    if (project !== undefined) {
      const variable = this.projectVariable(project);
      return new Code(variable, { name: variable, from: SETTINGS }, project.id);
    }
    const type = referredType(argument, kind.type);
    const referred = KINDS.find((one) => one.type === type);
    if (referred !== undefined && (typeof value === "string" || typeof value === "number")) {
      const at = referred.definition.scope === "organization" ? {} : place;
      const named = this.names.all().get(keyOf(referred.type, at, String(value)));
      if (named !== undefined) {
        const use = { name: named.identifier, from: referred.area, as: fileVariable(referred.area) };
        const file = referred.area === kind.area ? "" : `${use.as}.`;
        return new Code(`${file}${named.identifier}.id`, use, value);
      }
    }
    const schema = kind.definition.inputs[argument];
    const json = toJson(value);
    return this.literal(schema === undefined ? json : readable(schema, json), {
      identifier,
      path: [],
      of: `${kind.type} "${labelOf(object, id)}"`,
    });
  }

  /** A literal in which secrets are asked of the configuration. */
  private literal(value: Json, where: Where): Written {
    const below = (key: string): Where => ({ ...where, path: [...where.path, key] });
    if (value === WITHHELD) return this.secret(where);
    if (Array.isArray(value)) return value.map((member, index) => this.literal(member, below(String(index))));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]): [string, Written] => [
      key,
      this.literal(member, below(key)),
    ]);
    return Object.fromEntries(members);
  }

  private secret({ identifier, path, of }: Where): Code {
    const last = path.at(-1) ?? "secret";
    const key = identifier + last.charAt(0).toUpperCase() + last.slice(1);
    this.secrets.push({ key, of });
    return new Code(`config.requireSecret(${JSON.stringify(key)})`, CONFIG);
  }
}

/** Where in an argument a literal stands. */
interface Where {
  readonly identifier: string;
  readonly path: readonly string[];
  /** The resource, for people. */
  readonly of: string;
}

/** Parts of an argument that the service has and that are not declared, since any of them might be secret. */
function unshown({ kind, object }: Existing, argument: string, declared: unknown): string[] {
  const { definition } = kind;
  if (definition.fields?.[argument]?.declare === undefined) return [];
  const live = liveArgument(definition, object, argument);
  if (!isObject(live) || !isObject(declared)) return [];
  return Object.keys(live).filter((key) => !(key in declared) && !isEmpty(live[key]));
}

function projectKey(id: string): string {
  return `Project ${id}`;
}

function slugged(text: string): string {
  return text.trim().toLowerCase();
}

/** Numbers that have a name by that name. */
function readable(schema: z.core.$ZodType, value: Json): Json {
  const type = inner(schema);
  const name = nameOf(type, value);
  if (name !== undefined) return name;
  if (type instanceof z.ZodArray && Array.isArray(value))
    return value.map((member) => readable(type.element, member));
  if (!(type instanceof z.ZodObject) || !isObject(value)) return value;
  const shape: Readonly<Record<string, z.core.$ZodType>> = type.shape;
  const members = Object.entries<Json>(value).map(([key, member]): [string, Json] => [
    key,
    shape[key] === undefined ? member : readable(shape[key], member),
  ]);
  return Object.fromEntries(members);
}

/**
 * By kind, project and the time when they were made, so that what is made later stands later, or by name where PostHog
 * does not say when; children right after what they belong to.
 */
function inOrder({ existing, projects }: Reading): Existing[] {
  const children = new Map<Existing, Existing[]>();
  for (const one of existing) {
    if (one.parent === undefined) continue;
    const siblings = children.get(one.parent) ?? [];
    siblings.push(one);
    children.set(one.parent, siblings);
  }
  const place = ({ place: at }: Existing): number => projects.findIndex(({ id }) => id === at["projectId"]);
  const sorted = (some: readonly Existing[]): Existing[] =>
    some.toSorted(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        place(a) - place(b) ||
        compare(madeAt(a), madeAt(b)) ||
        compareIds(a.id, b.id) ||
        byLabel.compare(labelOf(a.object, a.id), labelOf(b.object, b.id)) ||
        compare(a.id, b.id),
    );
  const withChildren = (one: Existing): Existing[] => [
    one,
    ...sorted(children.get(one) ?? []).flatMap(withChildren),
  ];
  return sorted(existing.filter(({ parent }) => parent === undefined)).flatMap(withChildren);
}

function madeAt({ object }: Existing): string {
  return ["created_at", "joined_at"].map((name) => textAt(object, name)).find((time) => time !== "") ?? "";
}

/** Numbers count up as objects are made; other ids say nothing about it. */
function compareIds(a: string, b: string): number {
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
