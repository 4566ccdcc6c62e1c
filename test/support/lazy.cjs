// @ts-check
// Preloaded into the node processes of the tests' stacks. Loading `@pulumi/pulumi` takes half a second, most of
// it for the TypeScript compiler and for npm's tree builder, which only the closure serializer needs, and for what
// sends traces where somebody asks for them; and two processes do so one after the other in every operation. Here all
// of it loads at its first use. Nothing else differs.
"use strict";
const Module = require("node:module");

/** @typedef {(request: string, parent: { filename?: string } | undefined, isMain: boolean) => any} Load */
const loader = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (Module));

// One file of kept code for each kind of process, which differ in what they load.
const role = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]([\w-]+)/.exec(process.argv[1] ?? "")?.[1];
if (role !== undefined) require("./compiled.cjs").keepCompiled(role);

// Pulumi.yaml says `typescript: false`; language hosts from before that option load ts-node all the same.
if (process.env["TEST_PROGRAM"] === "javascript") process.env["PULUMI_NODEJS_TYPESCRIPT"] = "false";

/** Module to load late, and the one file that may get it so. */
const LATE = new Map([
  ["typescript", /[\\/]@pulumi[\\/]pulumi[\\/]typescript-shim\.js$/],
  ["@npmcli/arborist", /[\\/]runtime[\\/]closure[\\/]codePaths\.js$/],
]);

/** The same for modules that are taken apart as they are loaded, into functions and classes. */
const LATE_PARTS =
  /^@opentelemetry\/(?:resources|sdk-trace-base|sdk-trace-node|exporter-zipkin|instrumentation|instrumentation-grpc)$/;
const TRACING = /[\\/]cmd[\\/]run[\\/]tracing\.js$/;

/**
 * Shows Pulumi's own frames as TypeScript, for which it reads the source maps of all of them at each resource that a
 * program declares. Programs of the tests are JavaScript, without maps.
 */
const SOURCE_MAPS = "source-map-support/register";

/** @param {() => any} real */
function parts(real) {
  return new Proxy(
    {},
    {
      get: (_, key) =>
        new Proxy(function () {}, {
          apply: (_function, self, args) => Reflect.apply(real()[key], self, args),
          construct: (_class, args) => Reflect.construct(real()[key], args),
        }),
    },
  );
}

const load = loader._load;
/** @type {Load} */
loader._load = (request, parent, isMain) => {
  const file = parent?.filename ?? "";
  if (request === SOURCE_MAPS && process.env["TEST_PROGRAM"] === "javascript") return {};
  /** @type {any} */
  let loaded;
  const real = () => (loaded ??= load.call(Module, request, parent, isMain));
  if (LATE_PARTS.test(request) && TRACING.test(file)) return parts(real);
  if (LATE.get(request)?.test(file) !== true) return real();
  return new Proxy(
    {},
    {
      // `__importStar` copies all properties of what is no ES module, which would load it at once.
      get: (_, key) => (key === "__esModule" ? true : key === "default" ? real() : real()[key]),
      has: (_, key) => key in real(),
    },
  );
};
