import { closeConnections } from "../../src/client/transport";
import { HIDDEN } from "../../src/engine/state/state";
import { type Answer, type Seen, TestServer } from "../client/server";
import { configure } from "./provider";

/* A service that answers as a test says, for the provider by itself. */

export type Props = Record<string, unknown>;

/** The organization that the provider is configured for. */
export const ORGANIZATION = "0190c7aa-0000-0000-0000-00000000000a";

const servers: TestServer[] = [];

/** Starts such a service and configures the provider for it; call `closeAll` after the test. */
export async function serve(answer: (seen: Seen, body: Props) => Answer): Promise<TestServer> {
  const server = await TestServer.start((seen) =>
    answer(seen, seen.body === "" ? {} : (JSON.parse(seen.body) as Props)),
  );
  servers.push(server);
  configure({
    "posthog:host": server.url,
    "posthog:apiKey": "phx_odd",
    "posthog:projectId": "1",
    "posthog:organizationId": ORGANIZATION,
  });
  return server;
}

/** Ends every service of the test, and the connections to them. */
export async function closeAll(): Promise<void> {
  await closeConnections();
  for (const server of servers.splice(0)) await server.close();
}

/** What the engine hands over besides the arguments. */
export const common = (name: string): Props => ({ [HIDDEN.name]: name, [HIDDEN.provider]: "text" });

/** A list of one page. */
export const page = (...results: unknown[]): Answer => ({
  json: { count: results.length, next: null, results },
});
