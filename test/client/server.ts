import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as the server saw it. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** One answer, or what the server does instead of answering. */
export type Answer =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | "reset-before"
  | "reset-after"
  | "truncate";

/** A client that a busy machine kept waiting finds its connection still there. */
const PATIENT = { keepAliveTimeout: 65_000 };

/** Ports of earlier servers: what the client has learnt of a service by its address would count for another one. */
const used = new Set<number>();

/** A real server on loopback that answers as told. */
export class TestServer {
  readonly seen: Seen[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer(PATIENT, (request, response) => void this.handle(request, response));

  private constructor(private readonly answer: (seen: Seen, count: number) => Answer | Promise<Answer>) {
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  static async start(answer: (seen: Seen, count: number) => Answer | Promise<Answer>): Promise<TestServer> {
    const server = new TestServer(answer);
    await new Promise<void>((resolve) => server.server.listen(0, "127.0.0.1", resolve));
    if (!used.has(server.port)) {
      used.add(server.port);
      return server;
    }
    const other = await TestServer.start(answer);
    await server.close();
    return other;
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get connections(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    this.seen.push(seen);
    const answer = await this.answer(seen, this.seen.length);
    if (answer === "reset-before" || answer === "reset-after") return void request.socket.destroy();
    if (answer === "truncate") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id": 1, "na');
      return void setTimeout(() => request.socket.destroy(), 5);
    }
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json)));
  }
}
