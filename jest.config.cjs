// @ts-check
/** @type {import("jest").Config} */
module.exports = {
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  transform: {
    "\\.[cm]?[jt]sx?$": [
      "@swc/jest",
      {
        sourceMaps: "inline",
        module: { type: "commonjs" },
        jsc: { target: "es2022", parser: { syntax: "typescript" } },
      },
    ],
  },
  // Plain CommonJS runs as it is; the scripts are ES modules, which tests run as the processes that they are.
  transformIgnorePatterns: ["/node_modules/", "\\.mjs$", "\\.cjs$"],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/.local/", "<rootDir>/node_modules/"],
  // One operation of the real engine takes one to three seconds, several times that on a busy machine.
  testTimeout: 600_000,
  // Much of an operation is waiting: three keep two cores busy.
  maxWorkers: 3,
};
