/** Of a flag that may be given several times: one more value. */
export function append(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** The same for a flag that also takes several values at once, with commas. */
export function several(text: string, before: string[] | undefined): string[] {
  const named = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return [...(before ?? []), ...named];
}
