import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { VERSION, Workshop } from "./workshop";

let shop: Workshop;
beforeEach(() => (shop = new Workshop()));
afterEach(() => shop.close());

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe("without Pulumi on PATH", () => {
  test("it is built, said in a line, kept, and found by the next run without Go", async () => {
    shop.go();
    const first = await shop.find();
    expect(first).toMatchObject({ code: 0 });
    expect(first.said).toMatch(
      /^building Pulumi 3\.259\.0 from its Go modules \(.* minutes, once; kept in .*\)$/m,
    );
    expect(dirname(dirname(first.path))).toBe(shop.cache);
    expect(shop.builds).toHaveLength(2);
    expect(readdirSync(dirname(first.path)).sort()).toEqual(
      ["contents.json", "pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"].sort(),
    );

    unlinkSync(join(shop.bin, "go"));
    expect(await shop.find()).toEqual({ code: 0, path: first.path, said: "" });
  });

  test.each<[string, (folder: string) => void]>([
    ["a truncated CLI", (folder) => truncateSync(join(folder, "pulumi"), 5)],
    ["an empty CLI", (folder) => truncateSync(join(folder, "pulumi"), 0)],
    ["a CLI that may not be executed", (folder) => chmodSync(join(folder, "pulumi"), 0o644)],
    [
      "a CLI of another version",
      (folder) => writeFileSync(join(folder, "pulumi"), "#!/bin/sh\necho v3.258.0\n"),
    ],
    [
      "a CLI that crashes",
      (folder) => writeFileSync(join(folder, "pulumi"), "#!/bin/sh\nkill -SEGV $$\n#####\n"),
    ],
    ["a missing CLI", (folder) => unlinkSync(join(folder, "pulumi"))],
    [
      "a language host that does not start",
      (folder) => writeFileSync(join(folder, "pulumi-language-nodejs"), "\0\0\0"),
    ],
    ["a missing launcher", (folder) => unlinkSync(join(folder, "pulumi-resource-pulumi-nodejs"))],
    ["a folder that was never finished", (folder) => unlinkSync(join(folder, "contents.json"))],
    ["a half-written list of contents", (folder) => truncateSync(join(folder, "contents.json"), 7)],
    ["an empty folder", (folder) => readdirSync(folder).forEach((name) => rmSync(join(folder, name)))],
  ])("%s in the cache is found and made anew", async (_, break_) => {
    shop.go();
    const { path } = await shop.find();
    break_(dirname(path));
    const healed = await shop.find();
    expect(healed).toMatchObject({ code: 0, path });
    expect(healed.said).toContain("the cached engine is broken");
    expect(shop.builds).toHaveLength(4);
    expect(await shop.find()).toMatchObject({ code: 0, said: "" });
    expect(readdirSync(shop.cache)).toHaveLength(1);
  });

  test("of runs at once, one builds and the others wait for it", async () => {
    const others = shop.waiting("others");
    shop.go({ before: others.command });
    const started = [shop.start(), shop.start(), shop.start()];
    const waits = () => started.filter(({ said }) => said().includes("is getting the engine already"));
    // One that ends by now has not waited.
    await until(() => waits().length === 2 || started.some(({ child }) => child.exitCode !== null));
    others.end();
    const runs = await Promise.all(started.map(({ done }) => done));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(runs.map(({ path }) => path)).size).toBe(1);
    expect(shop.builds).toHaveLength(2);
    expect(runs.filter(({ said }) => said.includes("is getting the engine already"))).toHaveLength(2);
    expect(readdirSync(shop.cache)).toHaveLength(1);
  });

  test("a build that was killed leaves nothing that the next run would take or wait for", async () => {
    shop.go({ before: shop.waiting("forever").command });
    const { child, done } = shop.start();
    await until(() => shop.builds.length === 1);
    child.kill("SIGKILL");
    await done;
    expect(readdirSync(shop.cache).some((name) => name.endsWith(".lock"))).toBe(true);

    shop.go();
    const next = await shop.find();
    expect(next).toMatchObject({ code: 0 });
    expect(shop.builds).toHaveLength(3);
    expect(readdirSync(shop.cache)).toHaveLength(1);
  });

  test("a build that fails, or makes something else, is no engine", async () => {
    shop.go({ before: 'echo "package x: no such module" >&2; exit 1' });
    const failed = await shop.find();
    expect(failed.code).toBe(1);
    expect(failed.said).toContain("package x: no such module");
    shop.go({ cli: "echo v1.0.0" });
    const other = await shop.find();
    expect(other.code).toBe(1);
    expect(other.said).toContain("pulumi is 1.0.0, not 3.259.0");
    expect(readdirSync(shop.cache)).toEqual([]);
  });

  test.each([
    ["no Go", undefined, "Go is not installed (1.25.11 or newer is needed)"],
    [
      "a Go from before toolchains",
      { version: "1.20.5" },
      "Go 1.20.5 is too old (1.25.11 or newer is needed)",
    ],
    [
      "a Go that may not fetch another",
      { version: "1.24.1", toolchain: "local" },
      "GOTOOLCHAIN=local keeps it from",
    ],
  ])("%s: the message says what to install", async (_, go, message) => {
    if (go) shop.go(go);
    const { code, said } = await shop.find();
    expect(code).toBe(1);
    expect(said).toContain(message);
    expect(said).toContain("https://www.pulumi.com/docs/install/");
    expect(said).toContain("https://go.dev/dl/");
  });

  test("a Go that fetches the toolchain it needs builds", async () => {
    shop.go({ version: "1.22.0" });
    expect(await shop.find()).toMatchObject({ code: 0 });
  });
});

describe("with Pulumi on PATH", () => {
  const install = (version: string, { host = true, folder = shop.bin } = {}): string => {
    if (host) shop.tool("pulumi-language-nodejs", "echo 4711", folder);
    return shop.tool("pulumi", version, folder);
  };

  test("it is taken where it is new enough and has its language host", async () => {
    const pulumi = install("echo v3.200.0");
    expect(await shop.find()).toEqual({ code: 0, path: pulumi, said: "" });
  });

  test("the vendor's own place counts as PATH", async () => {
    const folder = join(shop.home, ".pulumi", "bin");
    mkdirSync(folder, { recursive: true });
    expect(await shop.find()).toMatchObject({ code: 1 });
    const pulumi = install("echo v3.300.1", { folder });
    expect(await shop.find()).toEqual({ code: 0, path: pulumi, said: "" });
  });

  test.each<[string, () => string, string]>([
    ["too old", () => install("echo v3.199.9"), "is 3.199.9, older than 3.200.0"],
    [
      "without a language host",
      () => install("echo v3.259.0", { host: false }),
      "has no working pulumi-language-nodejs",
    ],
    ["broken", () => install("exit 3"), "does not run"],
  ])("one that is %s is left, and another is got", async (_, given, message) => {
    shop.go();
    const pulumi = given();
    const { code, path, said } = await shop.find();
    expect(code).toBe(0);
    expect(said).toContain(message);
    expect(path).not.toBe(pulumi);
    expect(shop.builds).toHaveLength(2);
  });

  test("PULUMI_POSTHOG_ENGINE names the one to take", async () => {
    install("echo v3.300.0");
    const named = shop.tool("other-pulumi", `echo v${VERSION}`);
    shop.env["PULUMI_POSTHOG_ENGINE"] = named;
    expect(await shop.find()).toMatchObject({ code: 0, path: named });
    shop.env["PULUMI_POSTHOG_ENGINE"] = join(shop.bin, "not-there");
    const { code, said } = await shop.find();
    expect(code).toBe(1);
    expect(said).toContain("PULUMI_POSTHOG_ENGINE");
  });
});

test("the committed module files name one version for both the CLI and the message", () => {
  const mod = readFileSync(join(__dirname, "../../scripts/engine/cli/go.mod"), "utf8");
  expect(mod).toContain(`github.com/pulumi/pulumi/pkg/v3 v${VERSION}`);
});
