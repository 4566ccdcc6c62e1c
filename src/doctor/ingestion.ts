import { request } from "undici";
import { ingestHost, managementHost, type Settings } from "../client/settings";
import { textAt } from "../engine/values/json";
import { failed, failure, ok, skipped, warning, type Finding } from "./finding";

const TIMEOUT_MS = 10_000;
const REGION = /^(us|eu)\.(?:i\.)?posthog\.com$/;

/** Whether events have somewhere to go, and the project's own key is one; only what sends events needs this. */
export async function checkIngestion(
  settings: Settings,
  isNeeded: boolean,
  project: unknown,
): Promise<Finding[]> {
  const isGiven = settings.projectApiKey !== undefined || settings.ingestHost !== undefined;
  if (!isNeeded && !isGiven) return [skipped("ingestion", "nothing sends events (HistoricalImport)")];
  return [await checkIngestHost(settings), checkProjectKey(settings, isNeeded, project)];
}

async function checkIngestHost(settings: Settings): Promise<Finding> {
  let url: URL;
  try {
    url = ingestHost(settings);
    const [events, management] = [
      REGION.exec(url.hostname)?.[1],
      REGION.exec(managementHost(settings).hostname)?.[1],
    ];
    if (events !== undefined && management !== undefined && events !== management) {
      return failed(
        "ingestion",
        `events would go to ${url.origin}, and the account is in ${management}`,
        `Set posthog:region (POSTHOG_REGION) to ${management}, or take posthog:ingestHost (POSTHOG_INGEST_HOST) out.`,
      );
    }
  } catch (error) {
    return failure("ingestion", error);
  }
  try {
    // Any answer will do: what takes events has no page that must be there.
    const { body } = await request(url, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
    await body.dump();
    return ok("ingestion", `${url.origin} answers`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    return failed(
      "ingestion",
      `${url.origin} cannot be reached (${code})`,
      "Check posthog:ingestHost (POSTHOG_INGEST_HOST), and that this machine may reach it.",
    );
  }
}

/** Shape and owner of the project's key; its text is in no finding. */
function checkProjectKey({ projectApiKey: key }: Settings, isNeeded: boolean, project: unknown): Finding {
  const give =
    "Give the project's key (phc_..., under Settings, Project): pulumi config set --secret posthog:projectApiKey, or set POSTHOG_PROJECT_API_KEY.";
  if (key === undefined)
    return isNeeded
      ? warning(
          "project key",
          "no project API key is configured",
          `${give} A HistoricalImport can also say it itself.`,
        )
      : skipped("project key", "no project API key is configured");
  if (key.startsWith("phx_"))
    return failed("project key", "the project API key is a personal one (phx_...)", give);
  if (!key.startsWith("phc_"))
    return warning("project key", "the project API key does not begin with phc_, as they do", give);
  const own = textAt(project, "api_token");
  if (own !== "" && own !== key) {
    return warning(
      "project key",
      `the project API key is not that of project ${textAt(project, "id")}`,
      "Events would go to another project. Correct posthog:projectApiKey or posthog:projectId.",
    );
  }
  return ok(
    "project key",
    own === "" ? "a project API key is given (phc_...)" : "the project API key is the project's",
  );
}
