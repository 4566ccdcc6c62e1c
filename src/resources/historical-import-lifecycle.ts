import { randomUUID } from "node:crypto";
import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { settingsOf as connectionOf, useConfig } from "../engine/requests/connection";
import type { Problem, ResourceDefinition } from "../engine/definition";
import { InitFailedError, StateError } from "../engine/messages/errors";
import { whenOrphaned } from "../engine/orphaned";
import { isSame, toJsonObject, type JsonObject, type Props } from "../engine/values/json";
import { withPlainErrors } from "../engine/messages/plain-errors";
import { HIDDEN, carried, visible } from "../engine/state/state";
import { hasUnknown } from "../engine/values/unknown";
import { isShowable } from "../engine/messages/hush";
import { validate } from "../engine/values/validate";
import {
  describe,
  finishedImport,
  formatProgress,
  importArguments,
  ImportError,
  isSameDigest,
  normaliseSource,
  rateProblem,
  readCheckpoint,
  runImport,
  scan,
  scanProblems,
  settingsOf,
  shapeProblems,
  sourceDigest,
  totalsOf,
  type ImportArguments,
} from "../ingest";
import { destinationHash } from "../ingest/checkpoint/checkpoint";
import { destinationErrors, destinationNow, destinationOf } from "./historical-import-destination";

/** Hidden keys of an import in the state. */
const DESTINATION = "__destination";
const CHECKPOINT = "__checkpoint";
const FILES = "__files";

/** Arguments that decide what is sent; a change of any other is stored and sends nothing. */
const SHAPING = ["mapping", "rename", "duplicates", "format", "shard"] as const;

/** Checks run one after another: all imports together read for this long before other resources get their turn. */
const previewMs = 20_000;
const leastPreviewMs = 1000;
let previewedMs = 0;

/** Imports whose arguments were checked by this process, by name. */
const checked = new Set<string>();

const schema = z.object(importArguments);

/** Runs an import once. It has a lifecycle of its own, for it is an action and no object of the service. */
export class ImportLifecycle implements dynamic.ResourceProvider {
  constructor(private readonly definition: ResourceDefinition) {}

  /** Takes the configuration before anything is awaited: other verbs may run before the promise resolves. */
  configure(request: dynamic.ConfigureRequest): Promise<void> {
    useConfig((key) => request.config.get(key));
    return Promise.resolve();
  }

  check(olds: Props, news: Props): Promise<dynamic.CheckResult> {
    return withPlainErrors(async () => {
      const { args, problems } = validate(this.definition, news);
      if (args["adoptId"] !== undefined)
        problems.push({ argument: "adoptId", reason: "an import cannot be adopted" });
      const known = !hasUnknown(args);
      const isNew = Object.keys(visible(olds)).length === 0;
      if (problems.length === 0 && known)
        problems.push(...shapeProblems(importOf(args)), ...destinationErrors(args, isNew));
      // What is in the state already is scanned by diff, and only where something is left to send.
      checked.add(nameOf(news));
      if (problems.length === 0 && known && isNew) problems.push(...(await this.preview(args, news)));
      const failures = problems.map(({ argument, reason }) => ({
        property: isShowable(this.definition, argument, news) && argument in args ? argument : "",
        reason: `${argument}: ${reason}`,
      }));
      return { inputs: toJsonObject({ ...args, ...carried(news) }), failures };
    });
  }

  diff(_id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> {
    return withPlainErrors(async () => {
      const replaces = [
        ...(isSame(sourceOf(olds), sourceOf(news)) ? [] : ["source"]),
        ...(isSame(olds["runKey"], news["runKey"]) ? [] : ["runKey"]),
      ];
      if (replaces.length > 0) return { changes: true, replaces, deleteBeforeReplace: false };
      if (olds["status"] !== "finished") {
        // A refresh asks for the difference, too, and without check: it needs neither the files nor a key.
        const isToCome = checked.has(nameOf(news)) && !hasUnknown(news);
        const problems = isToCome
          ? [...destinationErrors(news, true), ...(await this.preview(visible(news), news))]
          : [];
        if (problems.length > 0)
          throw new StateError(problems.map(({ argument, reason }) => `${argument}: ${reason}`).join("\n"));
        return { changes: true, replaces: [] };
      }
      if (!hasUnknown(news)) await this.sayWhatChanged(olds, news);
      return { changes: !isSame(stored(olds), stored(news)), replaces: [] };
    });
  }

  create(inputs: Props): Promise<dynamic.CreateResult> {
    return withPlainErrors(async () => {
      const id = randomUUID();
      return { id, outs: await this.run(id, inputs, undefined) };
    });
  }

  /** An import is what its state says: the service has nothing to compare it with. */
  read(id: string, props: Props = {}): Promise<dynamic.ReadResult> {
    if (props[HIDDEN.get] !== true) return Promise.resolve({ id, props: toJsonObject(props) });
    return withPlainErrors(() => {
      throw new StateError(
        "HistoricalImport.get: an import cannot be looked up, PostHog keeps no record of it.",
      );
    });
  }

  update(id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> {
    return withPlainErrors(async () => {
      if (olds["status"] !== "finished") return { outs: await this.run(id, news, olds[CHECKPOINT]) };
      const results = Object.entries(olds).filter(
        ([name]) => name in this.definition.outputs || name.startsWith("__"),
      );
      return { outs: toJsonObject({ ...Object.fromEntries(results), ...stored(news), ...carried(news) }) };
    });
  }

  delete(id: string, props: Props): Promise<void> {
    const sent = typeof props["eventsSent"] === "number" ? props["eventsSent"].toLocaleString("en") : "its";
    say(props, id, `${sent} events stay in PostHog: events cannot be deleted, so nothing is sent`);
    return Promise.resolve();
  }

  private async run(id: string, inputs: Props, checkpoint: unknown): Promise<JsonObject> {
    const args = importOf(inputs);
    const destination = destinationOf(inputs);
    const label = `HistoricalImport "${nameOf(inputs)}"`;
    const { requestDeadline } = connectionOf(inputs);
    const common = { ...stored(inputs), ...carried(inputs), [DESTINATION]: destinationHash(destination) };
    const audience = new AbortController();
    const stay = whenOrphaned(() => audience.abort());
    try {
      const result = await runImport(args, {
        ...destination,
        owner: nameOf(inputs),
        signal: audience.signal,
        folder: process.cwd(),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        ...(requestDeadline === undefined ? {} : { deadlineMs: requestDeadline * 1000 }),
        onProgress: (progress) => {
          console.log(`${label}: ${formatProgress(progress)}`);
        },
        log: (line) => {
          console.log(`${label}: ${line}`);
        },
      });
      const { requestsNow: _, filesDigest, deadLetterFile, ...results } = result;
      if (deadLetterFile !== undefined) console.log(`${label}: events set aside are in ${deadLetterFile}`);
      return toJsonObject({ ...common, ...results, [FILES]: filesDigest });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      const hint = error.hint === undefined ? "" : `\n${error.hint}`;
      const reached = readCheckpoint(error.checkpoint);
      if (reached === undefined) throw new StateError(`${label}: ${error.message}${hint}`, { cause: error });
      const totals = totalsOf(reached);
      const properties = {
        ...toJsonObject({ ...common, status: "interrupted", eventsSent: totals.sent, [CHECKPOINT]: reached }),
        [HIDDEN.provider]: inputs[HIDDEN.provider],
      };
      const reason =
        `${label} stopped after ${totals.sent.toLocaleString("en")} events: ${error.message}${hint}\n` +
        `The next pulumi up goes on from there.`;
      throw new InitFailedError(id, properties, reason, { cause: error });
    } finally {
      stay();
    }
  }

  /** Says what an import will do, and what stands in its way; nothing is read where it is known to have finished. */
  private async preview(args: Props, news: Props): Promise<Problem[]> {
    const options = importOf(args);
    const folder = process.cwd();
    const finished = await finishedImport(options, { ...destinationOf(args), folder, owner: nameOf(news) });
    const label = `HistoricalImport "${nameOf(news)}"`;
    if (finished) {
      console.log(
        `${label}: finished on this machine at ${finished.finishedAt ?? "an unknown time"}: nothing is sent`,
      );
      const rate = rateProblem(options);
      return rate === undefined ? [] : [rate];
    }
    const begun = performance.now();
    try {
      const report = await scan(options, {
        folder,
        budgetMs: Math.max(leastPreviewMs, previewMs - previewedMs),
      });
      const settings = settingsOf(options);
      console.log([`${label}:`, ...describe(report, settings)].join("\n"));
      return scanProblems(report, settings);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      const hint = error.hint === undefined ? "" : ` (${error.hint})`;
      return [{ argument: "source", reason: `${error.message.replace(/^source: /, "")}${hint}` }];
    } finally {
      previewedMs += performance.now() - begun;
    }
  }

  private async sayWhatChanged(olds: Props, news: Props): Promise<void> {
    const again = "set a new runKey to import again";
    const destination = destinationNow(news);
    if (destination !== undefined && olds[DESTINATION] !== destination) {
      say(
        news,
        "",
        `key or host differ from those of the finished import: nothing is sent. If this is another project, set a new runKey`,
      );
    }
    const shaped = SHAPING.filter((name) => !isSame(olds[name], news[name]));
    if (shaped.length > 0)
      say(news, "", `${shaped.join(", ")} changed after the import finished: nothing is sent; ${again}`);
    const files = await sourceDigest(importOf(news), process.cwd());
    if (files === undefined)
      say(news, "", "its files are no longer there, which does not matter: the import has finished");
    else if (typeof olds[FILES] === "string" && !isSameDigest(files, olds[FILES])) {
      say(news, "", `its files changed after the import finished: nothing is sent; ${again}`);
    }
  }
}

function nameOf(props: Props): string {
  const name = props[HIDDEN.name];
  return typeof name === "string" ? name : "";
}

function say(props: Props, id: string, message: string): void {
  console.log(`warning: HistoricalImport "${nameOf(props)}"${id === "" ? "" : ` (${id})`}: ${message}`);
}

function importOf(props: Props): ImportArguments {
  return schema.parse(visible(props));
}

/** What the state keeps of the arguments: the key stands in it as a hash alone, with the host. */
function stored(props: Props): Props {
  const names = [...Object.keys(importArguments), "ingestHost", "connection"];
  return Object.fromEntries(
    Object.entries(props).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

function sourceOf(props: Props): string[] {
  const { source } = props;
  const entries = Array.isArray(source) ? source.map(String) : [String(source)];
  return normaliseSource(entries, process.cwd());
}
