import type { JsonObject, Props } from "../engine/values/json";
import { isObject, textAt } from "../engine/values/json";
import type { Kind } from "./kinds";

/** An object of the service that becomes a resource. */
export interface Existing {
  readonly kind: Kind;
  /** The resource's id, which `adoptId` takes. */
  readonly id: string;
  /** What tells it apart from every other one, the same in every run. */
  readonly key: string;
  /** The object as the lifecycle's read finds it. */
  readonly object: JsonObject;
  /** Where it is: `projectId`, `organizationId` and the id of its parent. */
  readonly place: Props;
  /** The object that it belongs to. */
  readonly parent: Existing | undefined;
}

/** A project of the organization. */
export interface Project {
  readonly id: string;
  readonly name: string;
}

/** What tells objects of all kinds apart. */
export function keyOf(type: string, place: Props, id: string): string {
  const project = typeof place["projectId"] === "string" ? `${place["projectId"]}/` : "";
  return `${type} ${project}${id}`;
}

const LABELS = ["name", "domain", "target_email", "user.email"];

/** What people call an object. */
export function labelOf(object: JsonObject, id: string): string {
  return LABELS.map((path) => textAt(object, path).trim()).find((text) => text !== "") ?? id;
}

/** The labels of an object, in the service's spelling. */
export function tagsOf(object: unknown): string[] {
  const tags = isObject(object) ? object["tags"] : undefined;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}
