import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { z } from "zod";

/** A comment or an issue. */
export interface Entry {
  readonly id: number;
  text: string;
  title: string;
  state: string;
}

const body = z.looseObject({
  body: z.string().optional(),
  description: z.string().optional(),
  title: z.string().optional(),
  state: z.string().optional(),
  state_event: z.string().optional(),
});

/** What the platforms' interfaces keep of comments and issues, as far as the scripts use them. */
export class Forge {
  readonly comments: Entry[] = [];
  readonly issues: Entry[] = [];
  readonly notes: string[] = [];
  private readonly server = createServer((request, response) => {
    this.answer(request).then(
      (answer) => {
        response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(answer ?? {}));
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });

  async open(): Promise<string> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const { method = "", headers } = request;
    if (headers["authorization"] !== "Bearer forge-token" && headers["private-token"] !== "forge-token")
      return undefined;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://forge");
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const sent = body.parse(text === "" ? {} : JSON.parse(text));
    const list = lists.find(({ path }) => path.test(pathname));
    const number = Number(list?.path.exec(pathname)?.[1] ?? 0);
    if (list?.kind === "note") {
      this.notes.push(sent.body ?? "");
      return {};
    }
    if (list === undefined) return undefined;
    const entries = list.kind === "comment" ? this.comments : this.issues;
    const isOpen = searchParams.get("state")?.startsWith("open") === true;
    if (method === "GET")
      return entries.filter(({ state }) => !isOpen || state === "open").map((entry) => show(entry));
    if (method === "POST") {
      const entry = { id: entries.length + 1, text: "", title: "", state: "open" };
      entries.push(entry);
      return show(change(entry, sent));
    }
    const entry = entries.find(({ id }) => id === number);
    return entry && show(change(entry, sent));
  }
}

const lists = [
  { kind: "note", path: /^\/repos\/acme\/analytics\/issues\/(?!7\/)\d+\/comments$/ },
  { kind: "note", path: /^\/projects\/5\/issues\/\d+\/notes$/ },
  { kind: "comment", path: /^\/repos\/acme\/analytics\/issues\/7\/comments$/ },
  { kind: "comment", path: /^\/repos\/acme\/analytics\/issues\/comments\/(\d+)$/ },
  { kind: "issue", path: /^\/repos\/acme\/analytics\/issues(?:\/(\d+))?$/ },
  { kind: "comment", path: /^\/projects\/5\/merge_requests\/7\/notes(?:\/(\d+))?$/ },
  { kind: "issue", path: /^\/projects\/5\/issues(?:\/(\d+))?$/ },
] as const;

function change(entry: Entry, sent: z.output<typeof body>): Entry {
  entry.text = sent.body ?? sent.description ?? entry.text;
  entry.title = sent.title ?? entry.title;
  if (sent.state !== undefined || sent.state_event !== undefined) entry.state = "closed";
  return entry;
}

function show({ id, text, title, state }: Entry): object {
  return { id, number: id, iid: id, body: text, description: text, title, state };
}
