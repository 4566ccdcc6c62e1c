// Dashboards: one laid out by a template of your own, and one that only its keepers edit.
import * as posthog from "pulumi-posthog";

const weekly = new posthog.Dashboard("weekly", {
  name: "Weekly review",
  description: "What we look at every Monday.",
  tags: ["team:product", "weekly"],
  template: {
    template_name: "Weekly review",
    dashboard_description: "Made from code.",
    dashboard_filters: {},
    tiles: [
      { type: "TEXT", body: "**Monday**: read this first.", layouts: {} },
      { type: "TEXT", body: "Numbers of the week.", layouts: {} },
    ],
  },
});

const board = new posthog.Dashboard("board", {
  name: "Board meeting",
  restrictionLevel: "collaborators",
  tags: ["team:leadership"],
});

// Someone who belongs to the organization already: looked up, not managed here.
const alan = posthog.getMemberOutput({ email: "alan@example.com" });

new posthog.DashboardCollaborator("alan-edits-board", {
  dashboardId: board.id,
  userUuid: alan.apply((member) => member.user?.uuid ?? ""),
});

export const names = { weekly: weekly.name, board: board.name };
