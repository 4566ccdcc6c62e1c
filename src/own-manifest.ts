import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const manifest = z.looseObject({
  version: z.string(),
  engines: z.object({ node: z.string() }),
  peerDependencies: z.looseObject({ "@pulumi/pulumi": z.string() }),
});

/** The package.json that this package was installed with. */
export function ownManifest(): z.infer<typeof manifest> {
  return manifest.parse(JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8")));
}
