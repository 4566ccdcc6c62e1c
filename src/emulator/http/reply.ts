import type { ServerResponse } from "node:http";

/** What is to be sent; the body already as text. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly text?: string;
}

export function send(response: ServerResponse, { status, headers, type, text }: Reply): void {
  const content = text === undefined ? undefined : Buffer.from(text);
  response.writeHead(status, {
    ...headers,
    ...(type !== undefined && { "Content-Type": type }),
    ...(status !== 204 && { "Content-Length": content?.length ?? 0 }),
  });
  response.end(content);
}
