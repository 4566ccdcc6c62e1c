import { SharedAnswers } from "../../client/shared-answers";
import type { ApiClient } from "../../client/client";
import { StateError } from "../messages/errors";
import { isObject } from "../values/json";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What stands for the organization that the key's owner is looking at. */
export const CURRENT = "@current";

/** True where the text already is an organization's id. */
export function isOrganizationId(text: string): boolean {
  return UUID.test(text);
}

const ofThisProcess = new SharedAnswers<string>();

/**
 * The id of an organization given by UUID, slug or `@current`; asked once per process (or for as long as `answers` are
 * kept), since `@current` moves as soon as an organization is made.
 */
export async function resolveOrganization(
  client: ApiClient,
  text: string,
  answers = ofThisProcess,
): Promise<string> {
  if (isOrganizationId(text)) return text.toLowerCase();
  return await answers.to(client, text, undefined, () =>
    text === CURRENT ? askCurrent(client) : askSlug(client, text),
  );
}

async function askCurrent(client: ApiClient): Promise<string> {
  const answer = await client.get(`/api/organizations/${CURRENT}/`, { scope: "organization:read" });
  if (isObject(answer) && typeof answer["id"] === "string") return answer["id"];
  throw new StateError(
    `${client.host} did not say which organization is ${CURRENT}; give its UUID as ${client.settingName("organizationId")}.`,
  );
}

async function askSlug(client: ApiClient, slug: string): Promise<string> {
  const slugs: string[] = [];
  for await (const page of client.pages("/api/organizations/", { scope: "organization:read" })) {
    for (const organization of page) {
      if (!isObject(organization) || typeof organization["slug"] !== "string") continue;
      if (organization["slug"] === slug && typeof organization["id"] === "string") return organization["id"];
      slugs.push(organization["slug"]);
    }
  }
  throw new StateError(
    `no organization with the slug "${slug}" is open to this key on ${client.host}; it sees: ` +
      `${slugs.slice(0, 10).join(", ") || "none"}. Give one of these, a UUID, or ${CURRENT}.`,
  );
}
