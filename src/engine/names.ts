/**
 * The one owner of how names map: arguments and outputs are camelCase, the service's fields snake_case.
 * A digit after a lower-case letter starts a word (`enforce2fa` is `enforce_2fa`), after a capital it does not
 * (`samlX509Cert` is `saml_x509_cert`), which fits every name of the interface without an exception.
 */
export function wireName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([a-z])([0-9])/g, "$1_$2")
    .toLowerCase();
}
