import { authenticate, checkKey, enterParent, findParent, type Parent } from "./auth";
import { type Answer, Call, type RawRequest } from "./call";
import { ApiError, crash, methodNotAllowed, permissionDenied } from "./errors";
import { allowedMethods, describe, negotiate, readScope } from "./negotiation";
import type { Throttle } from "./rate-limit";
import type { Match, Router } from "./router";
import type { World } from "../world/world";

export interface ApiAnswer extends Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly keyId: number | undefined;
}

/** Answers one request to the management interface: who, what may they, how often, and then the route itself. */
export class Api {
  constructor(
    private readonly world: World,
    readonly router: Router,
    private readonly throttle: Throttle,
  ) {}

  answer(request: RawRequest, match: Match): ApiAnswer {
    const call = new Call(this.world, request, match.template, match.parameters);
    const allow = { Allow: allowedMethods(match) };
    try {
      return { headers: allow, ...this.dispatch(call, match), keyId: call.caller?.key.id };
    } catch (error) {
      const known = error instanceof ApiError ? error : unexpected(error);
      const headers = { ...allow, ...known.headers };
      return { status: known.status, body: known.body, headers, keyId: call.caller?.key.id };
    }
  }

  private dispatch(call: Call, match: Match): Answer {
    const { route } = match;
    negotiate(call);
    const caller = authenticate(call);
    call.caller = caller;
    let found: { parent: Parent | undefined } | undefined;
    const parent = (): Parent | undefined => (found ??= { parent: findParent(call) }).parent;
    if (route) checkKey(call, route.scope, parent);
    else if (call.method === "OPTIONS") checkKey(call, readScope(match), parent);
    // Without a method of its own a view has no scope to offer, so that is what a scoped key hears first.
    else if (caller.key.scopes !== null && caller.key.scopes.length > 0) {
      throw permissionDenied("This action does not support Personal API Key access");
    }
    const below = parent();
    if (below) enterParent(call, below);
    route?.guard?.(call);
    this.throttle.pass(caller.key.id);
    if (route) return route.handler(call);
    if (call.method === "OPTIONS") return describe(match);
    throw methodNotAllowed(call.method);
  }
}

/** A defect of the emulator itself must not look like a quirk of the service. */
function unexpected(error: unknown): ApiError {
  process.stderr.write(
    `the emulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return crash("the emulator itself failed; its standard error says where");
}
