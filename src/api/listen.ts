import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { MINUTE, SECOND } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";

export interface Listening {
  url: string;
  /** From now on requests go there; until then the answer is that the service is starting. */
  serve(fetch: (request: Request) => Response | Promise<Response>): void;
  /** Answers what was begun, then closes. */
  close: () => Promise<void>;
}

const headerBytesMax = 16 * 1024;
/** A whole request, with its body: a file of 50 MB over a line of two megabits takes nearly four minutes. */
export const requestTimeoutMs = 5 * MINUTE;
const closeTimeoutMs = 2 * SECOND;
/** Proxies keep idle connections for a minute. If we closed one first, a request that was just on its way would be lost. */
const keepAliveTimeoutMs = 75 * SECOND;

/** What a person on this machine opens; a server that listens on every address is met on this one. */
export function urlOf(host: string, port: number): string {
  const name = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Takes the port first of all: when it is taken, nothing else has been started that would have to be undone. */
export async function listen({
  host,
  port,
  setting = "PORT",
}: {
  host: string;
  port: number;
  /** What the port is set by, for the advice when it cannot be had. */
  setting?: string;
}): Promise<Listening> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = answerStarting;
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      requestTimeout: requestTimeoutMs,
      headersTimeout: 10 * SECOND,
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    (request, response) => void handle(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(listenError(error, { host, port, setting })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const boundPort = typeof address === "object" && address ? address.port : port;
  return {
    url: urlOf(host, boundPort),
    serve: (fetch) => {
      handle = getRequestListener(fetch);
    },
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function answerStarting(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "content-type": "application/problem+json", "retry-after": "1" });
  const title = "Not ready";
  const detail = "The service is starting. Try again in a moment.";
  response.end(
    JSON.stringify({ type: "/docs/errors#not_ready", status: 503, code: "not_ready", title, detail }),
  );
}

function listenError(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): TieoutError {
  const says: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken: stop the program that listens there, or set ${setting} to another`,
    EACCES: `port ${port} may not be opened by this user: set ${setting} to 1024 or above`,
    EADDRNOTAVAIL: `this machine has no address ${host}: correct HOST`,
    ENOTFOUND: `the host name ${host} is unknown: correct HOST`,
  };
  const message = says[error.code ?? ""] ?? `cannot listen on ${host}:${port} (${error.code})`;
  return new TieoutError("port_taken", message, { cause: error });
}
