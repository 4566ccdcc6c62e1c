import dns from "node:dns";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { inspect } from "node:util";
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from "node:net";
import { ApiClient } from "../../src/client/client";
import {
  ConnectionError,
  PostHogError,
  ResponseError,
  TimeoutError,
  isAmbiguous,
} from "../../src/client/errors";
import { closeConnections } from "../../src/client/transport";
import { untrusted } from "./certificate";
import { jumping, settle } from "./clock";
import { TestServer } from "./server";

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(closers.splice(0).map((close) => close()));
  await closeConnections();
});

async function listen(server: Server | TlsServer, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A server that says this to whoever sends something. */
function speaking(text: string): Server {
  return createSocketServer((socket) => socket.on("data", () => socket.write(text)));
}

/** Every name is unknown: what a real resolver says of one, and how soon, is for the network that the tests run in. */
function knowNoHost(): void {
  const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.invalid"), { code: "ENOTFOUND" });
  jest.spyOn(dns, "lookup").mockImplementation((...given: readonly unknown[]) => {
    const done = given.at(-1);
    if (typeof done === "function") process.nextTick(done, unknown);
  });
}

async function failure(promise: Promise<unknown>): Promise<PostHogError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!PostHogError.isInstance(error)) throw new Error(`expected one of our errors, got ${String(error)}`);
  return error;
}

function client(host: string, settings: Record<string, number> = {}) {
  const { surroundings, slept } = jumping();
  return { client: new ApiClient({ host, apiKey: "phx_marker", ...settings }, surroundings), slept };
}

describe("a connection that fails", () => {
  const cases: [
    name: string,
    address: () => Promise<string>,
    sent: boolean,
    tries: number,
    message: RegExp,
  ][] = [
    ["refused", () => Promise.resolve("http://127.0.0.1:1"), false, 5, /cannot be reached \(ECONNREFUSED\)/],
    [
      "to a host that does not exist",
      () => {
        knowNoHost();
        return Promise.resolve("https://nowhere.invalid");
      },
      false,
      5,
      /no address is known for https:\/\/nowhere\.invalid/,
    ],
    [
      "to a certificate that nobody trusts",
      async () =>
        `https://127.0.0.1:${String(await listen(createTlsServer(untrusted, (_, response) => response.end())))}`,
      false,
      1,
      /certificate is not trusted here .*NODE_EXTRA_CA_CERTS/s,
    ],
    [
      "to a port without TLS",
      async () => `https://127.0.0.1:${String(await listen(speaking("HTTP/1.1 400 Bad Request\r\n\r\n")))}`,
      false,
      1,
      /does not answer with TLS as it should/,
    ],
    [
      "closed as soon as it stands",
      async () =>
        `http://127.0.0.1:${String(await listen(createSocketServer((socket) => void socket.destroy())))}`,
      true,
      6,
      /the connection to .* broke/,
    ],
    [
      "to something that does not speak HTTP",
      async () => `http://127.0.0.1:${String(await listen(speaking("220 mail phx_marker ready\r\n")))}`,
      true,
      6,
      /does not speak HTTP/,
    ],
  ];
  it.each(cases)("%s", async (_, address, sent, tries, message) => {
    const host = await address();
    const reading = client(host);
    const error = await failure(reading.client.get("/api/x/"));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(message);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("phx_marker");
    expect(reading.slept.length).toBe(tries - 1);
    const making = client(host);
    const unmade = await failure(making.client.post("/api/x/", { body: {} }));
    expect(isAmbiguous(unmade)).toBe(sent);
    expect(making.slept.length).toBe(sent ? 0 : tries - 1);
  });

  it("is not given up at once: a POST that could not be sent goes to the service that comes up", async () => {
    const first = await TestServer.start(() => ({ json: { id: 1 } }));
    const host = first.url;
    await first.close();
    let served = 0;
    const { surroundings } = jumping(async () => {
      if (served > 0) return;
      await listen(
        createSocketServer((socket) =>
          socket.on("data", () => {
            served++;
            socket.end('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n{"id": 1}');
          }),
        ),
        Number(new URL(host).port),
      );
    });
    const api = new ApiClient({ host, apiKey: "phx_x" }, surroundings);
    expect(await api.post("/api/x/", { body: {} })).toEqual({ id: 1 });
    expect(served).toBe(1);
  });
});

describe("an answer that does not come", () => {
  /** Answers what comes first on a connection, and then this. */
  function fallingSilent(text: string): Server {
    return createSocketServer((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 204 No Content\r\n\r\n");
        socket.on("data", () => socket.write(text));
      });
    });
  }

  /** What becomes of a creation that has little time; its connection stands and is free before that begins. */
  async function hurried(server: Server): Promise<PostHogError> {
    const settings = { host: `http://127.0.0.1:${String(await listen(server))}`, apiKey: "phx_x" };
    await new ApiClient(settings).delete("/api/x/");
    await settle();
    return failure(new ApiClient({ ...settings, requestDeadline: 0.3 }).post("/api/x/", { body: {} }));
  }

  it("is a timeout at the deadline, and ambiguous", async () => {
    const error = await hurried(fallingSilent(""));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toMatch(/did not answer in time/);
    expect(isAmbiguous(error)).toBe(true);
  });

  it("is a timeout where it begins and does not end", async () => {
    const error = await hurried(fallingSilent("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"));
    expect(isAmbiguous(error)).toBe(true);
  });
});

describe("an answer that is none of PostHog's", () => {
  it("is refused where it would fill the memory", async () => {
    const server = createSocketServer((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const chunk = Buffer.alloc(4 * 1024 * 1024, " ");
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk));
          socket.once("drain", more);
        };
        more();
      }),
    );
    const { client: api } = client(`http://127.0.0.1:${String(await listen(server))}`);
    const error = await failure(api.get("/api/x/"));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.message).toMatch(/larger than 64 MB/);
  });
});
