import { writes } from "../support/emulator";
import type { Declared } from "../support/declared";
import { ending, openScene, step, warnings, WELL } from "./scene";

/* Resources that are built on each other's outputs, at the top and deep inside of arguments. */

const organizationId = { $ref: "parent.id" };
const made = { $ref: "source.createdAt" };

const program: readonly Declared[] = [
  { class: "Organization", name: "parent", args: { name: "Parent" } },
  { class: "Dashboard", name: "source", args: { name: "Source" } },
  {
    class: "Dashboard",
    name: "dashboard",
    args: {
      projectId: { $ref: "parent.teams[0].id" },
      name: { $ref: "parent.slug" },
      tags: ["fixed", { $ref: "parent.slug" }],
      filters: { properties: [{ key: "organization", value: [organizationId] }] },
    },
  },
  {
    class: "BatchExport",
    name: "export",
    args: {
      organizationId,
      name: "Export",
      interval: "hour",
      destination: {
        type: "S3",
        config: {
          bucketName: "lake",
          region: "eu-central-1",
          prefix: { $ref: "parent.slug" },
          awsAccessKeyId: { $secret: "AKIA" },
          awsSecretAccessKey: { $secret: made },
        },
      },
    },
  },
  {
    class: "Domain",
    name: "domain",
    args: { organizationId, domain: "outputs.example", samlEntityId: made },
  },
  {
    class: "Invite",
    name: "invite",
    args: {
      organizationId,
      targetEmail: "outputs@example.com",
      message: made,
      privateProjectAccess: [{ id: { $ref: "parent.teams[0].id" }, level: 1 }],
    },
  },
  {
    class: "Member",
    name: "member",
    args: { organizationId, userUuid: { $ref: "source.createdBy.uuid" }, level: "owner" },
  },
  ...["PipelineDestination", "FrontendApp", "ImportApp"].map((kind) => ({
    class: kind,
    name: kind,
    args: {
      organizationId,
      pluginType: "source",
      name: kind,
      description: made,
      isGlobal: true,
      configSchema: [{ key: "origin", default: { $ref: "source.id" } }],
    },
  })),
];

const scene = openScene();

describe("a preview of resources that are built on each other's outputs", () => {
  const shared = scene.running(() => {
    scene.stack.declare(program);
    return scene.stack.preview();
  });
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("foresees each", () => expect(shared.run.changes).toEqual({ create: program.length }));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("the up after it", () => {
  const shared = scene.running(() => scene.stack.up());
  const createdAt = () => step(shared.run, { name: "source" }, "create").new?.outputs["createdAt"];
  const parent = () => step(shared.run, { name: "parent" }, "create").new;
  const post = (path: string) =>
    writes(scene.emulator).find((request) => request.method === "POST" && request.path.endsWith(path));

  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("makes the Dashboard in the new organization's project", () => {
    const { slug, teams } = parent()?.outputs ?? {};
    const [{ id: project }] = teams as [{ id: number }]; // what the emulator says of a new organization
    expect(post(`/projects/${project}/dashboards/`)?.body).toEqual({
      name: slug,
      tags: [slug, "fixed"].sort(),
      filters: { properties: [{ key: "organization", value: [parent()?.id] }] },
    });
  });
  it("sends outputs inside the BatchExport's configuration", () => {
    expect(post(`/organizations/${parent()?.id}/batch_exports/`)?.body).toMatchObject({
      destination: { config: { prefix: "parent", aws_secret_access_key: createdAt() } },
    });
  });
  it("sends outputs of the Domain and the Invite", () => {
    expect(post(`/${parent()?.id}/domains/`)?.body).toMatchObject({ saml_entity_id: createdAt() });
    expect(post(`/${parent()?.id}/invites/`)?.body).toMatchObject({
      message: createdAt(),
      private_project_access: [{ id: expect.any(Number), level: 1 }],
    });
  });
  it.each(["pipeline_destinations", "pipeline_frontend_apps", "pipeline_import_apps"])(
    "sends outputs inside %s",
    (collection) => {
      const { id } = step(shared.run, { name: "source" }, "create").new ?? {};
      expect(post(`/${parent()?.id}/${collection}/`)?.body).toMatchObject({
        description: createdAt(),
        config_schema: [{ key: "origin", default: id }],
      });
    },
  );
  it("takes the Member over without a request", () => {
    expect(step(shared.run, { name: "member" }, "create").status).toBe("done");
    expect(writes(scene.emulator).filter(({ path }) => path.includes("/members/"))).toEqual([]);
  });
});

describe("the up after that", () => {
  const shared = scene.running(() => scene.stack.up({ refresh: true, expectNoChanges: true }));
  it("changes nothing", () => expect(ending(shared.run)).toEqual(WELL));
  it("writes nothing", () => expect(writes(scene.emulator)).toEqual([]));
});

describe("destroy", () => {
  const shared = scene.running(() => scene.stack.destroy());
  it("succeeds", () => expect(ending(shared.run)).toEqual(WELL));
  it("releases the last owner, who is the key's own user", () => {
    expect(warnings(shared.run, "Member", "member")).toEqual([
      expect.stringContaining("released from the state"),
    ]);
  });
  it("makes plugins local that every organization sees, so that they can go", () => {
    const local = shared.writes.filter(
      ({ method, path }) => method === "PATCH" && path.includes("/pipeline_"),
    );
    expect(local.map(({ body }) => body)).toEqual([{ is_global: false }, { is_global: false }]);
  });
  it("removes the organization last", () => {
    const paths = shared.writes.map(({ path }) => path);
    const parent = shared.writes.find(({ template }) => template === "/api/organizations/:id/");
    const inside = paths.filter((path) => path !== parent?.path && path.startsWith(parent?.path ?? "-"));
    expect(inside.length).toBeGreaterThan(5);
    for (const path of inside)
      expect(paths.lastIndexOf(path)).toBeLessThan(paths.indexOf(parent?.path ?? ""));
  });
});
