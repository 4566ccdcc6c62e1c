import { z } from "zod";
import { plainObject } from "../engine/values/fields";

const shape = {
  /** Number of the user in this PostHog. */
  id: z.number().optional(),
  /** UUID of the user; what `Member` and `DashboardCollaborator` name people by. */
  uuid: z.string().optional(),
  /** The `distinct_id` of the user's own events. */
  distinctId: z.string().optional(),
  /** First name. */
  firstName: z.string().optional(),
  /** Last name. */
  lastName: z.string().optional(),
  /** E-mail address. */
  email: z.string().optional(),
  /** Whether the address was verified. */
  isEmailVerified: z.boolean().optional(),
  /** How the user's hedgehog looks. */
  hedgehogConfig: z.record(z.string(), z.unknown()).optional(),
};

/** A user as the service shows it inside other objects. */
export interface User extends z.output<z.ZodObject<typeof shape>> {}

/** The schema of a {@link User}; typed by that name, since declaration files lose the JSDoc of another file's keys. */
export const user: z.ZodType<User, User> = plainObject(shape);

/** A moment as the service writes it: ISO 8601, UTC. */
export const moment = z.string();
