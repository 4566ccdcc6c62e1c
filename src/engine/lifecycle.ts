import type { dynamic } from "@pulumi/pulumi";
import { compareForAdoption, refuseAdopted } from "./ownership/adopt";
import { callFor, remoteOf } from "./requests/call";
import { clientOf, settingsOf, useConfig } from "./requests/connection";
import type { Judgement, Problem, ResourceDefinition } from "./definition";
import { difference, verdict, wantedChanges, type Difference } from "./state/diff";
import { StateError } from "./messages/errors";
import { isShowable } from "./messages/hush";
import { toJsonObject, type Props } from "./values/json";
import { claim, deciding, declare, type Claim } from "./ownership/claim";
import { forgetManaged, noteMade, noteManaged, tellIfShared } from "./ownership/managed";
import { identify, noteStored, recover } from "./once/interrupted";
import { confirmGone, confirmHome } from "./ownership/presence";
import { removalOf } from "./ownership/removal";
import { fillScope, holdCurrent, pinOrganization } from "./requests/scope";
import { HIDDEN, carried, see, visible } from "./state/state";
import { previewAdoption } from "./ownership/take-overs";
import { hasUnknown } from "./values/unknown";
import { validate } from "./values/validate";
import { sayOnce } from "./messages/say";
import { forgetUpdates, marked, withInterrupted } from "./once/marks";
import { finish, reconcile } from "./requests/write";
import { ConfigurationError, NotFoundError } from "../client/errors";
import { naming } from "../client/explain";
import { withPlainErrors } from "./messages/plain-errors";
import { read } from "./read";

/** The lifecycle of every kind, written once: the definition says what is particular to a kind. */
export class Lifecycle implements dynamic.ResourceProvider {
  constructor(private readonly definition: ResourceDefinition) {}

  /** Takes the configuration before anything is awaited: other verbs may run before the promise resolves. */
  configure(request: dynamic.ConfigureRequest): Promise<void> {
    useConfig((key) => request.config.get(key));
    return Promise.resolve();
  }

  check(olds: Props, news: Props): Promise<dynamic.CheckResult> {
    return withPlainErrors(async () => {
      const { definition } = this;
      const { args, problems } = validate(definition, news);
      problems.push(...this.checkConnection(args));
      if (problems.length === 0) {
        await pinOrganization(args, olds);
        problems.push(...(await this.inspect(args, news, olds)));
      }
      if (problems.length > 0) {
        const failures = problems.map(({ argument, reason }) => ({
          // The engine prints the value of the property that a failure names, secret or not.
          property: isShowable(definition, argument, news) ? argument : "",
          reason: `${argument}: ${reason}`,
        }));
        return { inputs: news, failures };
      }
      const inputs = toJsonObject({ ...args, ...carried(news), ...carried(args) });
      if (Object.keys(visible(olds)).length > 0) noteStored(definition.type, news[HIDDEN.name]);
      if (typeof args["adoptId"] === "string" && Object.keys(visible(olds)).length === 0) {
        await previewAdoption(definition, args["adoptId"], inputs);
      }
      return { inputs, failures: [] };
    });
  }

  diff(id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> {
    return withPlainErrors(async () => {
      const claimed = claim(this.definition, id, olds, news);
      refuseAdopted(claimed.owner, id);
      return await deciding(claimed, () => this.decide(claimed, id, olds, news));
    });
  }

  create(inputs: Props): Promise<dynamic.CreateResult> {
    return withPlainErrors(async () => {
      const { definition } = this;
      const call = callFor(definition, "creating", inputs);
      const remote = remoteOf(definition);
      const { adoptId } = inputs;
      const adoption =
        typeof adoptId === "string" ? await compareForAdoption(call, remote, adoptId, inputs) : undefined;
      if (adoption !== undefined) {
        const { found, changes } = adoption;
        noteManaged(call, found.id);
        noteMade(call, found.id);
        return { id: found.id, outs: await reconcile(call, remote, found, inputs, changes) };
      }
      const recovered = await recover(call, remote, inputs);
      if (recovered !== undefined) {
        const { found, changes } = recovered;
        noteMade(call, found.id);
        return { id: found.id, outs: await reconcile(call, remote, found, inputs, changes) };
      }
      if (definition.scope === "none") await holdCurrent(inputs);
      const found = await remote.create(call, visible(inputs));
      noteMade(call, found.id);
      noteManaged(call, found.id);
      tellIfShared(call, found.id);
      return { id: found.id, outs: await finish(call, remote, found, inputs) };
    });
  }

  read(id: string, props: Props = {}): Promise<dynamic.ReadResult> {
    return withPlainErrors(() => read(this.definition, id, props));
  }

  update(id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> {
    return withPlainErrors(async () => {
      const { definition } = this;
      const call = callFor(definition, "updating", news, id);
      const remote = remoteOf(definition);
      await confirmHome(call, id, olds);
      try {
        if (definition.restore && olds["deleted"] === true) {
          const found = await definition.restore(call, id, { ...olds, ...carried(news) });
          const { values } = see(definition, found.object, visible(news));
          const left = difference(definition, { ...values, [HIDDEN.declared]: Object.keys(values) }, news);
          const changes = wantedChanges(left);
          return {
            outs: await marked(call, id, changes, olds, () => reconcile(call, remote, found, news, changes)),
          };
        }
        const changes = wantedChanges((await this.compare(id, olds, news)).found);
        const target = { id, object: undefined };
        return {
          outs: await marked(call, id, changes, olds, () =>
            reconcile(call, remote, target, news, changes, olds),
          ),
        };
      } catch (error) {
        if (!NotFoundError.isInstance(error)) throw error;
        await confirmGone(call, id, olds);
        throw new StateError(
          `${definition.type} "${String(news[HIDDEN.name])}" (${id}) was deleted outside: run pulumi up --refresh. ` +
            `(${error.message})`,
          { cause: error },
        );
      }
    });
  }

  delete(id: string, props: Props): Promise<void> {
    return withPlainErrors(async () => {
      const call = callFor(this.definition, "deleting", props, id);
      await identify(this.definition, id, props);
      await confirmHome(call, id, props);
      const removal = removalOf(call, id);
      if (removal === undefined) {
        await forgetUpdates(call, id);
        return;
      }
      try {
        await remoteOf(this.definition).delete(removal, id, props);
      } catch (error) {
        if (!NotFoundError.isInstance(error)) throw error;
        await confirmGone(call, id, props);
      }
      forgetManaged(call, id);
      await forgetUpdates(call, id);
    });
  }

  private async inspect(args: Props, news: Props, olds: Props): Promise<Problem[]> {
    const { definition } = this;
    const place = [args["connection"], args["projectId"], args["organizationId"]];
    if (definition.inspect === undefined || hasUnknown(place)) return [];
    const call = callFor(definition, "checking", { ...args, ...carried(news) });
    return await definition.inspect(call, args, visible(olds));
  }

  /** What differs, with what this kind knows beyond the comparison of its arguments. */
  private async compare(
    id: string,
    olds: Props,
    news: Props,
  ): Promise<{ found: Difference; answer: Judgement }> {
    const { definition } = this;
    const { found, plans } = await withInterrupted(
      definition,
      id,
      olds,
      news,
      difference(definition, olds, news),
    );
    const ask = () => callFor(definition, "previewing", { ...olds, ...carried(news) }, id);
    const answer = (await definition.judge?.(olds, news, ask)) ?? {};
    const ignored = [...(answer.ignores ?? []), ...(answer.restates ?? [])];
    const resent = (answer.resends ?? []).map((name) => [name, news[name]] as const);
    return {
      answer: { ...answer, plans: [...(answer.plans ?? []), ...plans] },
      found: {
        changed: { ...omit(found.changed, ignored), ...Object.fromEntries(resent) },
        cleared: omit(found.cleared, ignored),
        forgotten: found.forgotten.filter((name) => !ignored.includes(name)),
        unclearable: found.unclearable,
      },
    };
  }

  /** What the engine is to do, which tells whether the objects of the state stay with the resource. */
  private async decide(claimed: Claim, id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> {
    const { definition } = this;
    await identify(definition, id, olds, news);
    const { found, answer } = await this.compare(id, olds, news);
    const result = verdict(definition, olds, found);
    result.replaces.push(...(answer.replaces ?? []));
    result.changes ||= result.replaces.length > 0 || (answer.restates ?? []).length > 0;
    result.deleteBeforeReplace ||= answer.deletesFirst === true;
    declare(claimed, id, result.replaces.length === 0);
    const who = naming({ kind: definition.type, name: String(news[HIDDEN.name]), id });
    sayOnce(who, found.unclearable, answer);
    if (result.replaces.length > 0 && news["adoptId"] !== undefined && !hasUnknown(news["adoptId"])) {
      throw new StateError(
        `${who} is already adopted, and a change of ${result.replaces.join(", ")} makes a new object: take adoptId out ` +
          `of the program first.`,
      );
    }
    return result;
  }

  /** Host, key and scope are checked in preview already, without a request. */
  private checkConnection(args: Props): Problem[] {
    const named = hasUnknown(args["connection"]) ? {} : args;
    try {
      clientOf(named);
      return fillScope(this.definition, args, settingsOf(named));
    } catch (error) {
      if (!ConfigurationError.isInstance(error)) throw error;
      return [{ argument: "configuration", reason: error.message }];
    }
  }
}

function omit(props: Props, keys: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([key]) => !keys.includes(key)));
}
