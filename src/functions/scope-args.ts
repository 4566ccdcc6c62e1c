import { z } from "zod";
import { text } from "../engine/values/fields";

/** Id of a project. */
export const projectArgs = {
  /** Id of the project. Default: `posthog:projectId`, `POSTHOG_PROJECT_ID`. */
  projectId: text({ min: 1 }).optional(),
};

/** An organization. */
export const organizationArgs = {
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`, `POSTHOG_ORGANIZATION_ID`. */
  organizationId: text({ min: 1 }).optional(),
};

/** One object by its id. */
export const idArgs = {
  /** Id of the object. */
  id: z.union([text({ min: 1 }), z.number()]),
};
