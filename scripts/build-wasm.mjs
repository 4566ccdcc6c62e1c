// Compiles assembly/ to WebAssembly and writes it as src/ingest/wasm/binary.ts, which is committed:
// the package builds with tsc alone, and test/ingest/wasm.test.ts holds the file against its source.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import asc from "assemblyscript/asc";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const target = path.join(root, "src", "ingest", "wasm", "binary.ts");

/** The text of src/ingest/wasm/binary.ts, made from assembly/. */
export async function compile() {
  const outputs = new Map();
  const { error } = await asc.main(
    [
      path.join("assembly", "index.ts"),
      ...["--baseDir", root, "--outFile", "ingest.wasm", "--runtime", "stub", "--importMemory"],
      ...["--enable", "simd", "--optimizeLevel", "3", "--shrinkLevel", "0", "--converge", "--noAssert"],
    ],
    { writeFile: (name, contents) => void outputs.set(path.basename(name), contents) },
  );
  if (error) throw new Error(`assembly/ does not compile: ${error.message}\n${error.stack ?? ""}`);
  const base64 = Buffer.from(outputs.get("ingest.wasm")).toString("base64");
  const lines = (base64.match(/.{1,100}/g) ?? []).map((line) => `  "${line}",`);
  return [
    "// Made by scripts/build-wasm.mjs from assembly/: do not edit.",
    "",
    "// prettier-ignore",
    "export const binary: string = [",
    ...lines,
    '].join("");',
    "",
  ].join("\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = await compile();
  await writeFile(target, text);
  console.log(`${path.relative(root, target)}: ${text.length} characters`);
}
