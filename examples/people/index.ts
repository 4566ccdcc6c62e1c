// People: a team by e-mail address, whatever state each of them is in, and invites for a whole workshop.
import * as posthog from "pulumi-posthog";

const team = new posthog.Team("analytics", {
  members: [
    { email: "ada@example.com", level: "admin" },
    { email: "alan@example.com", level: "member" },
    { email: "margaret@example.com", level: "member" },
  ],
});

const workshop = new posthog.InviteBatch("workshop", {
  invites: [
    { targetEmail: "edith@example.com", firstName: "Edith" },
    { targetEmail: "frances@example.com", firstName: "Frances" },
  ],
});

export const urns = { team: team.urn, workshop: workshop.urn };
