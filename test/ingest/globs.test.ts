import { mkdir } from "node:fs/promises";
import path from "node:path";
import { listFiles } from "../../src/ingest/source/files";
import { file, temporaryFolder } from "./support";

/* Which files the entries of `source` name. */

let folder: string;
beforeAll(async () => {
  folder = path.join(await temporaryFolder(), "pro(gram) [x]");
  await mkdir(path.join(folder, "2023", "may"), { recursive: true });
  for (const name of ["a[1].ndjson", "a1.ndjson", "b*.ndjson", "b2.ndjson", "2023/may/c.ndjson"])
    await file(folder, name, "{}\n");
});

test.each([
  ["a[1].ndjson", ["a[1].ndjson"]],
  [String.raw`a\[1\].ndjson`, ["a[1].ndjson"]],
  [String.raw`a\[*`, ["a[1].ndjson"]],
  [String.raw`b\*.ndjson`, ["b*.ndjson"]],
  [String.raw`{b\*,a1}.ndjson`, ["a1.ndjson", "b*.ndjson"]],
  ["b*.ndjson", ["b*.ndjson"]],
  ["b?.ndjson", ["b*.ndjson", "b2.ndjson"]],
  [String.raw`2023\may\c.ndjson`, ["2023/may/c.ndjson"]],
  [String.raw`2023\*\*.ndjson`, ["2023/may/c.ndjson"]],
  [String.raw`2023\**\*.ndjson`, ["2023/may/c.ndjson"]],
])("%s", async (source, names) => {
  const found = await listFiles({ source }, folder);
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test("an absolute one as well", async () => {
  const source = `${folder.replaceAll(/[()[\]]/g, String.raw`\$&`)}/${String.raw`a\[?\].ndjson`}`;
  expect((await listFiles({ source }, folder)).map(({ name }) => name)).toEqual(["a[1].ndjson"]);
});

test("where it finds nothing, what a backslash means is said", async () => {
  const failed: unknown = await listFiles({ source: String.raw`c\[1\].ndjson` }, folder).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({
    message: String.raw`source: nothing is found at c\[1\].ndjson`,
    hint: expect.stringContaining("takes the meaning of the character behind it") as string,
  });
});
