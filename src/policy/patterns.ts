/** Whether a text fits one of these patterns, in which `*` stands for any characters; case does not count. */
export function fits(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(text));
}

function toExpression(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}
