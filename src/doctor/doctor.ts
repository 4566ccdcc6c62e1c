import { clientFor, type ApiClient } from "../client/client";
import { managementHost, type Settings } from "../client/settings";
import { settingsOf, useConfig } from "../engine/requests/connection";
import { textAt } from "../engine/values/json";
import { failure, ok, skipped, type Finding } from "./finding";
import { checkIngestion } from "./ingestion";
import { checkAccess, checkKeyShape, checkScopes } from "./key";
import { checkEngine, checkNode, checkPackages, projectFolder } from "./machine";
import { definitionsOf, needsOf } from "./needs";
import { checkLists, checkOrganization, checkProject } from "./place";
import { kindsOfStack, readConfiguration } from "./stack";
import { ConfigurationError } from "../client/errors";

/** A check that fails is asked no longer: somebody waits for the answer. */
const DEADLINE_S = 20;

/** What is to be checked. */
export interface DoctorOptions {
  /** Where the program is. */
  readonly folder: string;
  /** Name of the stack; undefined: the selected one. */
  readonly stack: string | undefined;
  /** Entry of `posthog:connections`; undefined: the default one. */
  readonly connection: string | undefined;
  /** Classes that the program uses; none: those of the stack's state, else all. */
  readonly kinds: readonly string[];
}

/**
 * Looks at everything that a program of this package needs, and changes nothing.
 *
 * @throws KindError where a kind is named that there is not
 */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  definitionsOf(options.kinds);
  const project = projectFolder(options.folder);
  const engine = await checkEngine(options.folder);
  const findings = [checkNode(), engine, checkPackages(project)];
  const place =
    project === undefined || engine.status === "failed"
      ? undefined
      : { folder: project, stack: options.stack };
  const configuration = await readConfiguration(place);
  findings.push(...configuration.findings);
  useConfig((key) => configuration.read(key));
  const fromStack = place !== undefined && options.kinds.length === 0 ? await kindsOfStack(place) : undefined;
  if (fromStack) findings.push(fromStack.finding);
  const known = definitionsOf([]).map(({ type }) => type);
  const kinds =
    options.kinds.length > 0
      ? options.kinds
      : (fromStack?.kinds ?? []).filter((kind) => known.includes(kind));
  return [...findings, ...(await examineAccount(kinds, options.connection))];
}

async function examineAccount(kinds: readonly string[], connection: string | undefined): Promise<Finding[]> {
  const definitions = definitionsOf(kinds);
  const needs = needsOf(definitions);
  const settings = settingsFor(connection);
  if ("said" in settings) return [settings];
  const findings = [checkHost(settings), checkKeyShape(settings)];
  const unusable = findings.some(({ status }) => status === "failed");
  if (unusable) return [...findings, skipped("access", "nothing can be asked without host and key")];
  const client: ApiClient = clientFor({ ...settings, requestDeadline: DEADLINE_S });
  const { findings: access, rights } = await checkAccess(client);
  findings.push(...access);
  if (rights === undefined) {
    return [...findings, ...(await checkIngestion(settings, needs.events, undefined))];
  }
  findings.push(...checkScopes(rights, needs));
  const organization = await checkOrganization(client, settings, needs, rights);
  const project = await checkProject(client, settings, needs, organization.organization);
  const organizationId = textAt(organization.organization, "id") || undefined;
  const lists = await checkLists(client, definitions, settings, organizationId);
  const events = await checkIngestion(settings, needs.events, project.project);
  return [...findings, ...organization.findings, ...project.findings, ...lists, ...events];
}

function settingsFor(connection: string | undefined): Settings | Finding {
  try {
    return settingsOf(connection === undefined ? {} : { connection });
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return failure("configuration", error);
  }
}

function checkHost(settings: Settings): Finding {
  try {
    return ok("host", `PostHog is at ${managementHost(settings).href.replace(/\/$/, "")}`);
  } catch (error) {
    return failure("host", error);
  }
}
