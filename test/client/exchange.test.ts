import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { exchange, Pool } from "../../src/client/exchange";
import { settle } from "./clock";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A server that does this with every connection, and how many it had. */
async function serve(scheme: string, answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    answer(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = new Pool(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  closers.push(async () => {
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pool, sockets };
}

const answering = (text: string) => (socket: Socket) => void socket.on("data", () => socket.write(text));

async function ask(pool: InstanceType<typeof Pool>, timeout = 60_000) {
  const seen = { onTheWay: 0 };
  const bounds = { timeout, onTheWay: () => void seen.onTheWay++ };
  const outcome = await exchange(pool, { method: "GET", path: "/" }, bounds).catch((error: unknown) => error);
  return { outcome, ...seen };
}

test.each([
  ["an answer in two parts", "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 4\r\n\r\nb\u00fcn", "b\u00fcn"],
  [
    "an announcement before it",
    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "ok",
  ],
  ["a mark of byte order", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n\ufeff{}", "{}"],
  ["no body", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ""],
])("%s is read whole", async (_, text, body) => {
  const { pool } = await serve("http", answering(text));
  expect(await ask(pool)).toEqual({ onTheWay: 1, outcome: expect.objectContaining({ status: 200, body }) });
});

test.each([
  ["nothing is answered", () => undefined],
  ["the answer stops in the middle", answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")],
])("it is given up in time where %s", async (_, answer) => {
  const { pool, sockets } = await serve("http", (socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      answer(socket);
    });
  });
  // The connection stands and is free from then on, however long making it took.
  expect(await ask(pool)).toMatchObject({ outcome: { status: 204 } });
  await settle();
  const given = await ask(pool, 150);
  expect(given).toEqual({ onTheWay: 1, outcome: expect.objectContaining({ name: "TimeoutError" }) });
  expect(sockets.size).toBe(1);
});

test("it is given up in time where no connection is made: nothing was sent, even a creation may be tried again", async () => {
  let arrived = (): void => undefined;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const { pool, sockets } = await serve("https", () => arrived());
  const given = await ask(pool, 150);
  expect(given).toEqual({ onTheWay: 0, outcome: expect.objectContaining({ name: "TimeoutError" }) });
  await arrival;
  expect(sockets.size).toBe(1);
});

test("an answer that breaks off is an error", async () => {
  const { pool } = await serve("http", (socket) => {
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"));
  });
  expect((await ask(pool)).outcome).toMatchObject({ code: expect.stringMatching(/UND_ERR_SOCKET/) });
});
