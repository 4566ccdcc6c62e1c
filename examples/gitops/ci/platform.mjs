// Comments on the change that is reviewed, and issues, on GitHub or GitLab. Each is found again by a hidden mark, so
// that a second run changes the first one's instead of adding to it.
import { appendFileSync, readFileSync } from "node:fs";

/**
 * @typedef {object} Platform
 * @property {(mark: string, text: string) => Promise<void>} comment writes the comment with that mark
 * @property {(mark: string, title: string, text: string) => Promise<void>} openIssue opens or rewrites the issue
 * @property {(mark: string, text: string) => Promise<void>} closeIssue closes it with a last word, where it is open
 */

/** GitHub takes 65,536 characters. */
const LONGEST = 60_000;

/**
 * The platform that this job runs on; elsewhere everything is printed.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Platform}
 */
export function platform(env = process.env) {
  if (env["GITHUB_ACTIONS"] === "true") return gitHub(env);
  if (env["GITLAB_CI"] === "true") return gitLab(env);
  /** @param {string[]} texts */
  const print = (...texts) => {
    process.stdout.write(`\n${texts.join("\n")}\n`);
    return Promise.resolve();
  };
  return { comment: print, openIssue: print, closeIssue: print };
}

/**
 * A text with its mark, short enough for the platform.
 *
 * @param {string} mark
 * @param {string} text
 */
export function marked(mark, text) {
  const short =
    text.length > LONGEST ? `${text.slice(0, LONGEST)}\n\`\`\`\n\n… the rest is in the job's log.` : text;
  return `<!-- ${mark} -->\n${short}`;
}

/** @param {NodeJS.ProcessEnv} env @returns {Platform} */
function gitHub(env) {
  const repository = `${need(env, "GITHUB_API_URL")}/repos/${need(env, "GITHUB_REPOSITORY")}`;
  const headers = {
    authorization: `Bearer ${need(env, "GITHUB_TOKEN")}`,
    accept: "application/vnd.github+json",
  };
  const ask = asking(headers);
  /** @param {string} list @param {string} mark */
  const find = async (list, mark) => {
    for (let page = 1; ; page++) {
      const found = await ask("GET", `${list}${list.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
      const one = found.find((/** @type {any} */ { body }) => body?.includes(`<!-- ${mark} -->`));
      if (one || found.length < 100) return one;
    }
  };
  const issues = `${repository}/issues`;
  return {
    async comment(mark, text) {
      if (env["GITHUB_STEP_SUMMARY"]) appendFileSync(env["GITHUB_STEP_SUMMARY"], `${text}\n`);
      const { pull_request } = JSON.parse(readFileSync(need(env, "GITHUB_EVENT_PATH"), "utf8"));
      const comments = `${issues}/${pull_request.number}/comments`;
      const old = await find(comments, mark);
      const body = marked(mark, text);
      if (old) await ask("PATCH", `${issues}/comments/${old.id}`, { body });
      else await ask("POST", comments, { body });
    },
    async openIssue(mark, title, text) {
      const old = await find(`${issues}?state=open`, mark);
      const body = marked(mark, text);
      if (old) await ask("PATCH", `${issues}/${old.number}`, { title, body });
      else await ask("POST", issues, { title, body });
    },
    async closeIssue(mark, text) {
      const old = await find(`${issues}?state=open`, mark);
      if (!old) return;
      await ask("POST", `${issues}/${old.number}/comments`, { body: text });
      await ask("PATCH", `${issues}/${old.number}`, { state: "closed" });
    },
  };
}

/** @param {NodeJS.ProcessEnv} env @returns {Platform} */
function gitLab(env) {
  const project = `${need(env, "CI_API_V4_URL")}/projects/${need(env, "CI_PROJECT_ID")}`;
  const ask = asking({ "private-token": need(env, "GITLAB_TOKEN") });
  /** @param {string} list @param {string} mark @param {string} key */
  const find = async (list, mark, key) => {
    for (let page = 1; ; page++) {
      const found = await ask("GET", `${list}${list.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
      const one = found.find((/** @type {any} */ item) => item[key]?.includes(`<!-- ${mark} -->`));
      if (one || found.length < 100) return one;
    }
  };
  const issues = `${project}/issues`;
  return {
    async comment(mark, text) {
      const notes = `${project}/merge_requests/${need(env, "CI_MERGE_REQUEST_IID")}/notes`;
      const old = await find(notes, mark, "body");
      const body = marked(mark, text);
      if (old) await ask("PUT", `${notes}/${old.id}`, { body });
      else await ask("POST", notes, { body });
    },
    async openIssue(mark, title, text) {
      const old = await find(`${issues}?state=opened`, mark, "description");
      const description = marked(mark, text);
      if (old) await ask("PUT", `${issues}/${old.iid}`, { title, description });
      else await ask("POST", issues, { title, description });
    },
    async closeIssue(mark, text) {
      const old = await find(`${issues}?state=opened`, mark, "description");
      if (!old) return;
      await ask("POST", `${issues}/${old.iid}/notes`, { body: text });
      await ask("PUT", `${issues}/${old.iid}`, { state_event: "close" });
    },
  };
}

/** @param {Record<string, string>} headers */
function asking(headers) {
  /**
   * @param {string} method
   * @param {string} url
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  return async (method, url, body) => {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      signal: AbortSignal.timeout(60_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer.json();
    throw new Error(
      `${method} ${new URL(url).pathname} answers ${answer.status}: may the job's token write here?`,
    );
  };
}

/** @param {NodeJS.ProcessEnv} env @param {string} name */
function need(env, name) {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set: the job's settings have to give it`);
  return value;
}
