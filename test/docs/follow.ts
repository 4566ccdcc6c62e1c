import { pages } from "./pages";
import { linesOf, Reader, type Visit } from "./reader";

/** What cannot run here, and why. Pulumi's own are held against its `--help`. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'curl --compressed --user "$MIXPANEL_SECRET:" "https://data.mixpanel.com/api/2.0/export?from_date=2023-01-01&to_date=2023-01-31" | gzip > mixpanel/2023-01.ndjson.gz':
    "asks Mixpanel; the visit writes what it would answer",
  'curl --user "$AMPLITUDE_KEY:$AMPLITUDE_SECRET" "https://amplitude.com/api/2/export?start=20230101T00&end=20230131T23" --output 2023-01.zip':
    "asks Amplitude",
  "unzip -d amplitude 2023-01.zip": "unpacks what Amplitude answers; the visit writes what is in it",
  "npm install --prefix policies":
    "the package is on no registry that tests reach; test/package installs it packed",
  'pulumi login "s3://acme-pulumi-state?region=eu-central-1"':
    "needs the bucket; tests keep states in folders",
  "pulumi package add terraform-provider posthog/posthog": "fetches a provider from a registry",
};

/** Follows a page from its top to its end. */
export async function follow(path: string, visit: Visit): Promise<void> {
  const page = pages().find((one) => one.path === path);
  if (page === undefined) throw new Error(`there is no ${path}`);
  const reader = await Reader.open(visit);
  try {
    await reader.follow(page, (line) => !(line in NOT_RUN));
    expect(reader.emulator.unknownRoutes).toEqual([]);
  } finally {
    await reader.close();
  }
}

/** Whether a block has something to run. */
export function runs(language: string, text: string): boolean {
  return language === "sh" && linesOf(text).some((line) => !(line in NOT_RUN));
}
