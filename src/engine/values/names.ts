/** Far more than all shapes have. */
const MOST_KNOWN = 1000;
const known = new Map<string, string>();

/**
 * The one owner of how names map: arguments and outputs are camelCase, the service's fields snake_case.
 * A digit after a lower-case letter starts a word (`enforce2fa` is `enforce_2fa`), after a capital it does not
 * (`samlX509Cert` is `saml_x509_cert`), which fits every name of the interface without an exception.
 */
export function wireName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([a-z])([0-9])/g, "$1_$2")
    .toLowerCase();
  // The names of shapes are few; keys that a program makes up are not kept.
  if (known.size < MOST_KNOWN) known.set(name, made);
  return made;
}

/** The name that somebody most likely meant who wrote another: in another spelling, or with a slip or two in it. */
export function meant(written: string, names: readonly string[]): string | undefined {
  const plain = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();
  const slips = [0, 1, 2].filter((most) => most * 3 <= written.length);
  return slips
    .map((most) => names.find((name) => isWithin(plain(name), plain(written), most)))
    .find((name) => name !== undefined);
}

/** Whether so many letters that are missing, too many, wrong or in each other's place make one text of the other. */
function isWithin(a: string, b: string, slips: number): boolean {
  if (a === b) return true;
  if (slips === 0) return false;
  if (a[0] === b[0]) return isWithin(a.slice(1), b.slice(1), slips);
  const swapped = a[0] === b[1] && a[1] === b[0] && isWithin(a.slice(2), b.slice(2), slips - 1);
  const others = [a, a.slice(1)].flatMap((left) => [b, b.slice(1)].map((right) => [left, right] as const));
  return swapped || others.slice(1).some(([left, right]) => isWithin(left, right, slips - 1));
}
