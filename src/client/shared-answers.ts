import type { ApiClient } from "./client";
import { toldOf, type Subject } from "./explain";

interface Shared<T> {
  /** Whom it was asked for. */
  readonly asker: Subject | undefined;
  readonly answer: Promise<T>;
}

/**
 * What many want to know and is asked once, by each connection for itself: each sees its own, and has its own refusals.
 * A failure is not kept, and whoever waited is told of it as their own.
 */
export class SharedAnswers<T> {
  private readonly known = new WeakMap<ApiClient, Map<string, Shared<T>>>();

  /** The answer to this question. */
  async to(
    client: ApiClient,
    question: string,
    reader: Subject | undefined,
    ask: () => Promise<T>,
  ): Promise<T> {
    const known = this.known.get(client) ?? new Map<string, Shared<T>>();
    this.known.set(client, known);
    const shared = known.get(question) ?? { asker: reader, answer: ask() };
    known.set(question, shared);
    try {
      return await shared.answer;
    } catch (error) {
      // Whoever was told first may have asked again already.
      if (known.get(question) === shared) known.delete(question);
      throw toldOf(reader, shared.asker, error);
    }
  }

  /** Asks again from now on: what was answered is no longer so. */
  forget(client: ApiClient, question: string): void {
    this.known.get(client)?.delete(question);
  }
}
