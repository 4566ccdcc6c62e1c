import type { dynamic } from "@pulumi/pulumi";
import { definitionOf } from "./engine/program/define";
import { Lifecycle } from "./engine/lifecycle";
import { dropRepeatedReports } from "./engine/messages/plain-errors";
import { keepSmall } from "./provider-memory";
import * as kinds from "./resources";

dropRepeatedReports();
keepSmall();

const providers = new Map<string, dynamic.ResourceProvider>();

/**
 * The provider of a kind, for the line that stands in every state (see `dynamic.ts`): the name of this function
 * and the path `pulumi-posthog/runtime` never change. Not meant to be called by programs.
 */
export function provider(type: string): dynamic.ResourceProvider {
  const known = providers.get(type);
  if (known) return known;
  const definition = Object.values(kinds)
    .map(definitionOf)
    .find((candidate) => candidate.type === type);
  if (definition === undefined) {
    throw new Error(
      `the installed pulumi-posthog has no resource "${type}"; the state was written by a newer version: ` +
        `npm install pulumi-posthog@latest`,
    );
  }
  const made = definition.lifecycle?.(definition) ?? new Lifecycle(definition);
  providers.set(type, made);
  return made;
}
