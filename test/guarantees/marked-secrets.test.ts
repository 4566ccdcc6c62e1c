import { writeLines } from "../import/sources";
import { kinds } from "../conformance/cases";
import { instances, program } from "../conformance/life/instances";
import { ending, openScene, WELL } from "../conformance/scene";
import { startEmulator } from "../support/emulator";
import { openStack, type Declared } from "../support/stack";

/*
 * A program may mark any argument as a secret. The engine then encrypts the output of the same name: here every argument
 * of every kind is marked, and no output of another name may say it in clear.
 */

const scene = openScene();
/** The key by which a state tells what is encrypted. */
const ENCRYPTED = "4dabf18193072939515e22adb298388d";
/** What the service says again in other words than the arguments of the table, or that is too short there to be told. */
const more = (slug: unknown): Declared[] => [
  { class: "Domain", name: "by slug", args: { organizationId: slug, domain: "slug.marked.example" } },
  { class: "Organization", name: "named", args: { name: "merger-with-acme" } },
  { class: "PipelineDestination", name: "of a version", args: { pluginType: "source", tag: "v1.2.3-acme" } },
  {
    class: "Dashboard",
    name: "of a template",
    args: {
      template: {
        template_name: "Merger with Acme",
        dashboard_description: "Acme by Monday",
        dashboard_filters: { breakdown: "acme_merger" },
        tags: ["acme-merger"],
        tiles: [{ type: "TEXT", body: "Not a word", layouts: {} }],
      },
    },
  },
];

function marked({ args = {}, ...rest }: Declared): Declared {
  const secrets = Object.entries(args).map(([name, value]) => [name, { $secret: value }]);
  return { ...rest, args: Object.fromEntries(secrets) };
}

/** All texts inside that can be told from names and versions. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return value.length > 6 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** Where one of the texts stands in clear. */
function places(value: unknown, secrets: readonly string[], path: readonly string[] = []): string[] {
  if (typeof value === "string")
    return secrets.some((secret) => value.includes(secret)) ? [path.join(".")] : [];
  if (typeof value !== "object" || value === null || ENCRYPTED in value) return [];
  return Object.entries(value).flatMap(([key, inner]) => places(inner, secrets, [...path, key]));
}

/** By resource, where the state shows a text that its arguments hold; an id is no value that could be a secret. */
async function shown(declared: readonly Declared[]): Promise<string[]> {
  const kept = await scene.kept();
  return declared.flatMap(({ name, args }) => {
    const { inputs, outputs } = kept.get(name) ?? {};
    if (inputs === undefined) return [`${name}: is not there`];
    return places({ inputs, outputs }, texts(args)).map((place) => `${name}: ${place}`);
  });
}

describe("what a program marks as a secret", () => {
  let declared: readonly Declared[];
  const up = scene.running(() => {
    const { organizations } = scene.emulator.store;
    const slug = "an-organization-by-slug";
    for (const one of organizations.all())
      if (one.id === scene.named("organization")) organizations.update(one, { slug });
    // Connections are looked up in the configuration by their name, which stands there in clear.
    const all = program(scene.world, "first").filter(
      ({ name }) => instances.find((one) => one.name === name)?.tested?.argument !== "connection",
    );
    declared = [...all, ...more(slug)];
    scene.stack.declare(declared.map(marked));
    return scene.stack.up();
  });

  test("every kind can be made of it", () => {
    expect(ending(up.run)).toEqual(WELL);
    expect(new Set(declared.map((one) => one.class))).toEqual(new Set(kinds.map(({ kind }) => kind)));
  });
  test("stands nowhere else in clear", async () => expect(await shown(declared)).toEqual([]));
  test("nor after a refresh", async () => {
    expect(ending(await scene.stack.refresh())).toEqual(WELL);
    expect(await shown(declared)).toEqual([]);
  });
  test("leaves in clear what does not repeat it", async () => {
    const { outputs } = (await scene.kept()).get("by slug") ?? {};
    expect(outputs).toMatchObject({ isVerified: false, dnsRecordValue: expect.any(String) });
  });
});

test("an import that was interrupted does not name its files where they are a secret", async () => {
  const emulator = await startEmulator({ faults: "POST /batch/ 503" });
  const stack = await openStack({ emulator, config: { "posthog:requestDeadline": "1" } });
  try {
    writeLines(stack.folder, "merger-with-acme.ndjson", 0, 10);
    stack.declare([
      marked({ class: "HistoricalImport", name: "past", args: { source: "merger-with-acme.ndjson" } }),
    ]);
    expect((await stack.up()).code).not.toBe(0);
    const text = await stack.exportText();
    expect(text).toContain("__checkpoint");
    expect(text).not.toContain("merger-with-acme");
  } finally {
    await stack.close();
    await emulator.close();
  }
});
