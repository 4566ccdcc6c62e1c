import { printValue, usesOf, type Available, type Use } from "./code";
import type { Statement } from "./program";

/** What stands at the top of each file of resources. */
const HEAD =
  "// Written by `npx pulumi-posthog generate`. Edit it as you like: a later run keeps what you edited and adds what is new\n" +
  "// at the end. `adoptId` takes over what exists; it counts for nothing once a resource is in the stack.\n";

/** A file of declarations. */
export function renderArea(statements: readonly Statement[], area: string, available: Available): string {
  const imports = importsOf(usesIn(statements, area, available)).join("\n");
  return `${HEAD}${imports}\n\n${renderStatements(statements, available)}`;
}

/** Declarations without their imports. */
export function renderStatements(statements: readonly Statement[], available: Available): string {
  return statements.map((statement) => `${render(statement, available)}\n`).join("\n");
}

/** The file that loads all others. */
export function renderIndex(areas: readonly string[]): string {
  return `${HEAD}${areas.map((area) => `import "./${area}";\n`).join("")}`;
}

function render({ identifier, comment, resource, value }: Statement, available: Available): string {
  const above =
    comment === undefined ? "" : `/** ${comment.replaceAll("*/", "* /").replace(/\s+/g, " ")} */\n`;
  const printed = printValue(value, available, resource !== undefined);
  if (resource === undefined) return `${above}export const ${identifier} = ${printed};`;
  const options = resource.isProtected ? ", { protect: true }" : "";
  const made = `new posthog.${resource.type}(${JSON.stringify(resource.name)}, ${printed}${options})`;
  return `${above}export const ${identifier} = ${made};`;
}

/** The names from elsewhere that declarations use, each once. */
export function usesIn(statements: readonly Statement[], area: string, available: Available): Use[] {
  const uses = new Map<string, Use>();
  for (const { resource, value } of statements) {
    const own = resource === undefined ? [] : [{ name: "posthog", from: "pulumi-posthog" }];
    for (const use of [...own, ...usesOf(value, available)]) {
      if (use.from !== area) uses.set(`${use.from} ${use.name}`, use);
    }
  }
  return [...uses.values()];
}

/** Import statements, packages before files. */
export function importsOf(uses: readonly Use[]): string[] {
  const packages = uses
    .filter(({ name }) => isPackage(name))
    .map((use) => `import * as ${use.name} from "${use.from}";`);
  const files = new Map<string, string[]>();
  const whole = new Set<string>();
  for (const { name, from, as } of uses) {
    if (isPackage(name)) continue;
    if (as === undefined) files.set(from, [...(files.get(from) ?? []), name]);
    else whole.add(`import * as ${as} from "./${from}";`);
  }
  const named = [...files].map(([from, names]) => `import { ${names.sort().join(", ")} } from "./${from}";`);
  return [...packages.sort(), ...[...whole].sort(), ...named.sort()];
}

function isPackage(name: string): boolean {
  return name === "pulumi" || name === "posthog";
}
