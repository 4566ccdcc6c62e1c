import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSafeServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { untrusted } from "../client/certificate";

/** Something at an address that is not the PostHog that was meant. */
export interface Host {
  readonly url: string;
  close(): Promise<void>;
}

async function listening(server: Server, protocol: string): Promise<Host> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol}://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Answers every request like this. */
export async function answering(answer: RequestListener): Promise<Host> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  const host = await listening(server, "http");
  return {
    ...host,
    close: () => {
      server.closeAllConnections();
      return host.close();
    },
  };
}

/** Shows a certificate that nobody trusts. */
export function untrustedHost(): Promise<Host> {
  return listening(
    createSafeServer(untrusted, (_, response) => response.end("{}")),
    "https",
  );
}

/** An address where nobody listens: the port of a protocol that nobody uses. A port that was free may be taken again. */
export const NOBODY: Host = { url: "http://127.0.0.1:9", close: () => Promise.resolve() };
