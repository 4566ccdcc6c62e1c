import * as classes from "../resources";
import { definitions } from "../resources/definitions";
import { typeToken } from "../type-token";

/** A kind of resource, by its class. */
export type Kind = keyof typeof classes;

/** Kinds of resources that policies look at, by their class: every one of the registry, or a new one would pass by. */
export const KINDS: readonly Kind[] = definitions.map(({ type }) => type).filter(isKind);

function isKind(type: string): type is Kind {
  return type in classes;
}

const kinds = new Map<string, Kind>(KINDS.map((kind) => [typeToken(kind), kind]));

/** The kind of a type token; undefined for resources of other packages. */
export function kindOf(token: string): Kind | undefined {
  return kinds.get(token);
}
