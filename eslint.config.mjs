// @ts-check
import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  // examples/import-kubernetes has dependencies of its own, which are not installed here.
  {
    ignores: [
      "examples/import-kubernetes/",
      "dist/",
      "coverage/",
      ".local/",
      "**/.pulumi-posthog/",
      "assembly/",
      "**/*.d.ts",
    ],
  },
  {
    files: ["**/*.{ts,mjs,cjs}"],
    extends: [eslint.configs.recommended, ...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["*.mjs", "*.cjs"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // The compiler's own options say these, and more exactly.
      "no-undef": "off",
      "@typescript-eslint/no-unused-vars": "off",
      "@typescript-eslint/dot-notation": "off",
      // The functions that definitions hold use no `this`, and are taken out of them by name.
      "@typescript-eslint/unbound-method": "off",
      // Numbers and booleans in messages are what messages are for.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      // zod's shapes and the engine's property bags have keys that are known at run time only.
      "@typescript-eslint/no-dynamic-delete": "off",
      // Spreading a string gives its characters, which is what is meant where it is done.
      "@typescript-eslint/no-misused-spread": "off",
      // A class that extends a made base is how resources carry their types.
      "@typescript-eslint/no-extraneous-class": "off",
      // An interface that extends one mapped type gives it the name that editors and errors show.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      eqeqeq: "error",
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 300, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    files: ["test/**/*.ts"],
    // Tests read answers whose form is what they are about to find out; `expect` is the check at that border.
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      // Helpers that check something are called for that alone, and defaults name what a run may lack.
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-meaningless-void-operator": "off",
      "@typescript-eslint/no-unnecessary-condition": "off",
    },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    // JSDoc casts and `require` are the only forms of these that plain JavaScript has.
    rules: {
      "@typescript-eslint/no-require-imports": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-explicit-any": "off",
    },
  },
);
