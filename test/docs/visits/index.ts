import type { Visit } from "../reader";
import { accounts, rotation } from "./accounts";
import { adoption } from "./adopt";
import { amplitude, mixpanel, warehouse } from "./imports";
import { pipeline } from "./pipeline";
import { policies } from "./policies";
import { recovery } from "./recovery";

/** How each page that has commands is followed, but for those under policies. */
export const visits: Readonly<Record<string, Visit>> = {
  "how-to/adopt.md": adoption,
  "how-to/disaster-recovery.md": recovery,
  "how-to/migrate-from-a-warehouse.md": warehouse,
  "how-to/migrate-from-amplitude.md": amplitude,
  "how-to/migrate-from-mixpanel.md": mixpanel,
  "how-to/rotate-secrets.md": rotation,
  "how-to/several-accounts.md": accounts,
};

/** How the pages are followed whose commands run policies, in a file of their own: they take the longest. */
export const guarded: Readonly<Record<string, Visit>> = {
  "how-to/guard-by-policy.md": policies,
  "how-to/run-in-a-pipeline.md": pipeline,
};
