import * as pulumi from "@pulumi/pulumi";
import { TeamMember, type TeamMemberArgs } from "../resources/team-member";

/** One person of a {@link Team}. */
export interface TeamPerson extends Omit<
  TeamMemberArgs,
  "email" | "organizationId" | "connection" | "adoptId"
> {
  /** E-mail address; a plain text, since it names the person's resource. */
  email: string;
}

/** Arguments of {@link Team}. */
export interface TeamArgs {
  /** Who is to belong, each address once. Adding a person invites, taking one out removes; the others are left alone. */
  members: readonly TeamPerson[];
  /** UUID or slug of the organization, or `@current`. Default: `posthog:organizationId`. A change replaces everybody. */
  organizationId?: pulumi.Input<string | undefined>;
  /** Name of an entry of `posthog:connections`. Default: the configuration's own key and host. */
  connection?: pulumi.Input<string | undefined>;
}

/**
 * The people of an organization as one list: a {@link TeamMember} for each. The program asks the service nothing, so
 * what was reviewed is what is applied, and nobody is removed because a list did not show them.
 *
 * @remarks Who is taken out of the list loses their access.
 *
 * @example
 * new posthog.Team("analytics", {
 *   members: [{ email: "katherine@example.com", level: "member" }, { email: "radhia@example.com" }],
 * });
 */
export class Team extends pulumi.ComponentResource {
  /** The people, by e-mail address as it was given. */
  readonly members: Readonly<Record<string, TeamMember>>;

  constructor(name: string, args: TeamArgs, opts?: pulumi.ComponentResourceOptions) {
    super("posthog:index:Team", name, {}, opts);
    const { members, ...common } = args;
    const seen = new Set<string>();
    this.members = Object.fromEntries(
      members.map((person) => {
        const address = person.email.trim().toLowerCase();
        if (seen.has(address)) {
          throw new pulumi.InputPropertyError({
            propertyPath: "members",
            reason: `Team "${name}" has ${address} more than once`,
          });
        }
        seen.add(address);
        return [
          person.email,
          new TeamMember(`${name}-${address}`, { ...common, ...person }, { parent: this }),
        ];
      }),
    );
    this.registerOutputs({});
  }
}
