import { z } from "zod";
import { resourcePolicy } from "./policy";
import { textsOf, UNKNOWN } from "./subject";

/** Each dashboard says which team owns it. */
export const dashboardOwner = resourcePolicy({
  name: "posthog-dashboard-owner",
  displayName: "Dashboards are tagged with the team that owns them",
  why: "A dashboard that nobody owns is never corrected and never deleted, and nobody can be asked what its numbers mean.",
  comply:
    'Add a tag of the form "team:NAME" to the dashboard\'s tags, with a team of `teams` where that list is not empty.',
  severity: "low",
  kinds: ["Dashboard"],
  settings: {
    /** What the tag starts with. */
    prefix: z.string().default("team:"),
    /** Names of the teams; empty: any. */
    teams: z.array(z.string()).default([]),
  },
  check({ props }, { prefix, teams }) {
    const { tags } = props;
    if (tags === UNKNOWN || (Array.isArray(tags) && tags.includes(UNKNOWN))) return [];
    const start = prefix.toLowerCase();
    const named = textsOf(tags)
      .map((tag) => tag.trim().toLowerCase())
      .filter((tag) => tag.startsWith(start) && tag.length > start.length)
      .map((tag) => tag.slice(start.length));
    if (named.length === 0) return [`none of its tags starts with "${prefix}"`];
    const known = teams.map((team) => team.toLowerCase());
    if (known.length === 0 || named.some((team) => known.includes(team))) return [];
    return [`${named.join(", ")} is none of the teams ${teams.join(", ")}`];
  },
});
