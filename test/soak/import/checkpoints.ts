import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const checkpoint = z.object({
  files: z.array(z.object({ totals: z.object({ sent: z.number() }) })),
});

/** Events that a checkpoint counts as sent; 0 where there is none. */
export function sentBy(value: unknown): number {
  const parsed = checkpoint.safeParse(value);
  return parsed.success ? parsed.data.files.reduce((sum, { totals }) => sum + totals.sent, 0) : 0;
}

/** Events that the local checkpoint of a program's folder counts as sent. */
export function localSent(folder: string): number {
  const imports = join(folder, ".pulumi-posthog", "imports");
  try {
    const [name] = readdirSync(imports).filter((file) => file.endsWith(".json"));
    return name === undefined ? 0 : sentBy(JSON.parse(readFileSync(join(imports, name), "utf8")));
  } catch {
    return 0;
  }
}
