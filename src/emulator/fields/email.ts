import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

import { invalid } from "../http/errors";
import { checked, type Field, text } from "./fields";

/** E-mail addresses, as Django tells them from other texts. */

const DOT_ATOM = /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*$/i;
const QUOTED = /^"(?:[!#-[\]-~]|\\[!-~])*"$/;
const DOMAIN = /^([A-Z0-9]([A-Z0-9-]{0,61}[A-Z0-9])?\.)+[A-Z0-9-]{2,63}(?<!-)$/i;
const LITERAL = /^\[([A-F0-9:.]+)\]$/i;

function isEmail(address: string): boolean {
  const at = address.lastIndexOf("@");
  if (at < 0) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  return (DOT_ATOM.test(local) || QUOTED.test(local)) && isMailDomain(domain);
}

function isMailDomain(domain: string): boolean {
  if (domain === "localhost" || DOMAIN.test(domain)) return true;
  const literal = LITERAL.exec(domain)?.[1];
  if (literal !== undefined) return isIPv4(literal) || isIPv6(literal);
  // A domain in letters beyond ASCII is looked at in its other spelling, and kept as it was written.
  return /\P{ASCII}/u.test(domain) && DOMAIN.test(domainToASCII(domain));
}

export function email(): Field<string> {
  const refusal = "Enter a valid email address.";
  return checked(text({ max: 254, refusal }), (value) => {
    if (!isEmail(value)) throw invalid(refusal);
    return value;
  });
}
