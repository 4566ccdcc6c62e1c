import { PostHogError } from "../client/errors";
import { at, type Props } from "../engine/values/json";
import type { Call } from "../engine/requests/remote";

/** How long PostHog honours an invite. */
const VALID_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Whether an invite has expired since it was read. It can have, once it is older than PostHog honours one; then the
 * service is asked, which may honour its own for longer. Where it says nothing, the age counts.
 *
 * @param word asks the service: see {@link wordOn}
 */
export async function hasExpired(
  { status, createdAt }: Props,
  word: () => Promise<boolean | undefined>,
): Promise<boolean> {
  if (status === "expired") return true;
  const created = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
  if (status !== "pending" || !(Date.now() - created >= VALID_MS)) return false;
  return (await word()) ?? true;
}

/** What the service says by now of whether an invite has expired; undefined where it says nothing. */
export async function wordOn(invites: Call, id: unknown): Promise<boolean | undefined> {
  if (typeof id !== "string") return undefined;
  try {
    const word = at(await invites.collection.read(id, invites.reading), "is_expired");
    return typeof word === "boolean" ? word : undefined;
  } catch (error) {
    if (PostHogError.isInstance(error)) return undefined;
    throw error;
  }
}
