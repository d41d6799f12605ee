import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  /** With its query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are; anything else as JSON. */
  readonly body?: unknown;
  /** Instead of answering: whatever a misbehaving server does. */
  readonly misbehave?: (response: ServerResponse) => void;
}

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** How many were ever opened to it. */
  readonly connections: number;
  close(): Promise<void>;
}

type Script = readonly ScriptedAnswer[] | ((request: ReceivedRequest) => ScriptedAnswer);

/** A real local HTTP server. A list of answers is given out in order, and the last one for ever after. */
export async function startHttpServer(script: Script, atPort = 0): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    void receive(incoming).then((request) => {
      requests.push(request);
      const answer =
        typeof script === "function" ? script(request) : script[Math.min(requests.length, script.length) - 1];
      return send(response, answer ?? { status: 404 });
    });
  });
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(atPort, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = incoming.url ?? "";
  const { method = "", headers } = incoming;
  const query = new URL(path, "http://localhost").searchParams;
  return { method, path, query, headers, body: Buffer.concat(chunks).toString() };
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer.misbehave !== undefined) return answer.misbehave(response);
  const { status = 200, headers = {}, body = {} } = answer;
  const asIs = typeof body === "string" || body instanceof Uint8Array;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(asIs ? body : JSON.stringify(body));
}
