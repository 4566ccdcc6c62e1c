/** The type token of a kind; `pulumi-nodejs:dynamic/` is what makes the engine start the dynamic provider. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/posthog:${type}`;
}
