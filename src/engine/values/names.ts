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
