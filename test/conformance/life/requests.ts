import type { Emulator } from "../../support/emulator";
import { writes } from "../../support/emulator";
import type { KindCases, Sent } from "../cases";

type Request = Emulator["requests"][number];

/** The writes to one object, as the tables write them. */
export function sentTo(emulator: Emulator, kind: KindCases, id: string): Sent[] {
  const one = collectionPattern(kind, `${id}/((?:[^/]+/)*)`);
  return writes(emulator).flatMap((request): Sent[] => {
    const action = one.exec(request.path)?.[1];
    return action === undefined ? [] : [asSent(request, action)];
  });
}

/** The request that made an object: the one in whose body this text stands as a value. */
export function creationOf(emulator: Emulator, kind: KindCases, marker: string): Request | undefined {
  const collection = collectionPattern(kind, "(?:create_from_template_json/)?");
  const quoted = JSON.stringify(marker);
  return writes(emulator)
    .filter(({ method, path }) => method === "POST" && collection.test(path))
    .find(({ body }) => JSON.stringify(body).includes(quoted));
}

/** Place in the log of the request that removed an object. */
export function removalOf(emulator: Emulator, kind: KindCases, id: string): Request | undefined {
  const one = collectionPattern(kind, `${id}/`);
  const [method, , body] = kind.removal;
  return writes(emulator).find(
    (request) =>
      request.method === method &&
      one.test(request.path) &&
      (body === undefined || JSON.stringify(request.body).includes('"deleted":true')),
  );
}

function asSent({ method, body }: Request, action: string): Sent {
  return body === undefined ? [method, action] : [method, action, body];
}

/** Collections of projects and organizations are told apart by their last part; an export has one below each. */
function collectionPattern(kind: KindCases, below: string): RegExp {
  const last = kind.path.split("/").at(-2) ?? "";
  const parent = last === "organizations" ? "" : "(?:organizations|projects)/[^/]+/";
  return new RegExp(`^/api/${parent}${last}/${below}$`);
}
