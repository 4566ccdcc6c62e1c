// @ts-check
// What one writes who follows Pulumi's documentation of dynamic resources and thinks of one resource at a time: a
// request for each, a list read anew for each member. The benchmark measures this package against it.
"use strict";
const pulumi = require("@pulumi/pulumi");

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
async function request(method, path, body) {
  const answer = await fetch(`${process.env["POSTHOG_HOST"]}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${process.env["POSTHOG_API_KEY"]}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

const dashboards = () => `/api/projects/${process.env["POSTHOG_PROJECT_ID"]}/dashboards/`;
const members = () => `/api/organizations/${process.env["POSTHOG_ORGANIZATION_ID"]}/members/`;

/** @param {string} uuid @returns {Promise<any>} */
async function findMember(uuid) {
  let path = members();
  for (;;) {
    const page = await request("GET", path);
    const found = page.results.find((/** @type {any} */ member) => member.user.uuid === uuid);
    if (found !== undefined) return found;
    if (!page.next) throw new Error(`${uuid} is not a member`);
    const next = new URL(page.next);
    path = next.pathname + next.search;
  }
}

/** @type {import("@pulumi/pulumi").dynamic.ResourceProvider} */
const dashboard = {
  async create(/** @type {any} */ inputs) {
    const made = await request("POST", dashboards(), inputs);
    return { id: String(made.id), outs: { ...inputs, createdAt: made.created_at } };
  },
  async read(id, /** @type {any} */ props) {
    const { name, description, pinned, tags } = await request("GET", `${dashboards()}${id}/`);
    return { id, props: { ...props, name, description, pinned, tags } };
  },
  async update(id, _, /** @type {any} */ news) {
    await request("PATCH", `${dashboards()}${id}/`, news);
    return { outs: news };
  },
  async delete(id) {
    await request("PATCH", `${dashboards()}${id}/`, { deleted: true });
  },
};

/** @type {import("@pulumi/pulumi").dynamic.ResourceProvider} */
const member = {
  async create(/** @type {any} */ inputs) {
    const { level } = await findMember(inputs.userUuid);
    if (level !== inputs.level) {
      await request("PATCH", `${members()}${inputs.userUuid}/`, { level: inputs.level });
    }
    return { id: inputs.userUuid, outs: inputs };
  },
  async read(id, /** @type {any} */ props) {
    const { level } = await findMember(id);
    return { id, props: { ...props, level } };
  },
  async update(id, _, /** @type {any} */ news) {
    await request("PATCH", `${members()}${id}/`, { level: news.level });
    return { outs: news };
  },
  async delete(id) {
    await request("DELETE", `${members()}${id}/`);
  },
};

exports.Dashboard = class Dashboard extends pulumi.dynamic.Resource {
  constructor(/** @type {string} */ name, /** @type {any} */ args, /** @type {any} */ opts) {
    super(dashboard, name, args, opts);
  }
};

exports.Member = class Member extends pulumi.dynamic.Resource {
  constructor(/** @type {string} */ name, /** @type {any} */ args, /** @type {any} */ opts) {
    super(member, name, args, opts);
  }
};
