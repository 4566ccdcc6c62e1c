import type { ArgumentCase, KindCases } from "./case";

const exportOf = (slug: string) => `export of ${slug}`;
const begin = "2026-01-01T00:00:00Z";

const again = (given: Pick<ArgumentCase, "argument" | "field"> & Partial<ArgumentCase>): ArgumentCase => ({
  first: undefined,
  second: undefined,
  update: "replacement",
  cleared: "replacement",
  ...given,
});

export const batchExportBackfill: KindCases = {
  kind: "BatchExportBackfill",
  path: "/api/organizations/$organization/batch_exports/",
  existing: { why: "it is an action" },
  base: (slug) => ({
    batchExportId: { $world: exportOf(slug) },
    startAt: begin,
    endAt: "2026-01-01T02:00:00Z",
  }),
  marker: "batchExportId",
  creation: /^POST .*\/batch_exports\/[^/]+\/backfill\/$/,
  order: "new first",
  keepsId: "the service may give a backfill no id: then its export and range are its name",
  removal: { why: "events that were exported stay exported; the service keeps no list of backfills" },
  destroyed: { why: "nothing that was exported is taken back" },
  async prepare({ emulator, made, values }, slugs) {
    const { project, otherProject, otherOrganization } = values;
    const foreign = emulator.store.projects.find((row) => row.organization_id === otherOrganization);
    const places = [
      ...slugs.map((slug) => [slug, project] as const),
      ["another", project] as const,
      ["the other project", otherProject] as const,
      ["the other organization", foreign?.id] as const,
    ];
    const known: Record<string, string> = {};
    for (const [name, where] of places) {
      const body = { name, interval: "hour", destination: { type: "NoOp", config: {} } };
      const { id } = await made(`/api/projects/${String(where)}/batch_exports/`, body);
      known[exportOf(name)] = String(id);
    }
    return known;
  },
  arguments: [
    again({
      argument: "organizationId",
      field: "organization_id",
      first: { $world: "organization" },
      second: { $world: "otherOrganization" },
      along: [{}, { batchExportId: { $world: exportOf("the other organization") } }],
      creation: "path",
    }),
    again({
      argument: "projectId",
      field: "project_id",
      first: { $world: "project" },
      second: { $world: "otherProject" },
      along: [{}, { batchExportId: { $world: exportOf("the other project") } }],
      creation: "path",
    }),
    again({
      argument: "batchExportId",
      field: "batch_export_id",
      first: { $world: exportOf("batchexportid") },
      second: { $world: exportOf("another") },
      creation: "path",
      cleared: "required",
    }),
    again({
      argument: "startAt",
      field: "start_at",
      first: "2026-01-01T01:00:00+01:00",
      second: "2026-01-01T01:00:00Z",
      sent: [begin, "2026-01-01T01:00:00Z"],
      cleared: "required",
    }),
    again({
      argument: "endAt",
      field: "end_at",
      first: "2026-01-01T02:00:00Z",
      second: "2026-01-01T03:00:00Z",
      cleared: "required",
    }),
    again({
      argument: "trigger",
      field: "trigger",
      first: "once",
      second: "once more",
      creation: "unsent",
    }),
  ],
};
