// @ts-check
// A dynamic resource for the tests of the harness itself: keeps its arguments, and does what they ask for.
"use strict";
const pulumi = require("@pulumi/pulumi");

const provider = `
const shown = ({ __provider, ...inputs }) => inputs;
exports.handler = () => ({
  check: async (olds, news) => ({
    inputs: news,
    failures: news.size > 9 ? [{ property: "size", reason: "at most 9 is allowed" }] : [],
  }),
  diff: async (id, olds, news) => {
    const differs = (key) => JSON.stringify(olds[key]) !== JSON.stringify(news[key]);
    const changed = Object.keys(shown({ ...olds, ...news })).filter((key) => key !== "made" && differs(key));
    return { changes: changed.length > 0, replaces: changed.filter((key) => key === "place") };
  },
  create: async (inputs) => {
    if (inputs.slowMs) { console.log("at work"); await new Promise((done) => setTimeout(done, inputs.slowMs)); }
    if (inputs.refused) throw new Error("the service refuses it");
    console.log("warning: made one");
    return { id: "id-" + inputs.size, outs: { ...inputs, made: { by: ["us"] } } };
  },
  update: async (id, olds, news) => ({ outs: { ...news, made: olds.made } }),
  read: async (id, props) => {
    if (process.env.PROBE_GONE) return { id: "", props: {} };
    const live = process.env.PROBE_SIZE ? { ...props, size: Number(process.env.PROBE_SIZE) } : props;
    const { made, ...inputs } = shown(live);
    return { id, props: live, inputs };
  },
  delete: async () => {},
});`;

class Probe extends pulumi.CustomResource {
  /** @param {string} name @param {object} args @param {object} [opts] */
  constructor(name, args, opts) {
    super(
      "pulumi-nodejs:dynamic/posthog:Probe",
      name,
      { made: undefined, ...args, __provider: provider },
      opts,
    );
  }
  /** @param {string} name @param {string} id @param {object} state @param {object} [opts] */
  static get(name, id, state, opts) {
    return new Probe(name, { ...state }, { ...opts, id });
  }
}

module.exports = { Probe };
