import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { request as send } from "undici";

/** One wrong thing that a server could do, and the checks that are about it. */
export interface Fault {
  readonly name: string;
  readonly reports: readonly string[];
  /** The paths it spoils. */
  readonly at: RegExp;
  /** Spoils the question before the good server sees it… */
  readonly ask?: (request: WireRequest) => void;
  /** …or its answer… */
  readonly answer?: (json: Json, request: WireRequest) => unknown;
  /** …or answers by itself. */
  readonly serve?: (request: WireRequest, forward: Forward) => Promise<Reply>;
}

export interface WireRequest {
  readonly method: string;
  path: string;
  readonly query: URLSearchParams;
  readonly headers: Record<string, string>;
  body: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A picture, as it is. */
  readonly bytes?: Uint8Array;
}

type Forward = (request: WireRequest) => Promise<Reply>;

/** Loose on purpose: faults reach into answers of every shape. */
export interface Json {
  [key: string]: Json;
}

/** What a fault calls the proxy: its port is not known until it listens. */
export const proxyOrigin = "http://proxy";

export interface WrongServer {
  readonly origin: string;
  close(): Promise<void>;
}

export interface GoodServer {
  readonly origin: string;
  readonly memory: Memory;
}

/** A proxy in front of a good server that lets everything through but for one fault. */
export async function startWrongServer(good: GoodServer, fault: Fault): Promise<WrongServer> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const request = await readRequest(incoming);
      const { status, text, headers, bytes } = await spoil(fault, request, (asked) => forward(good, asked));
      outgoing.writeHead(status, { "content-type": "application/json", ...headers });
      // Links must lead back through the proxy, or a step would slip past the fault.
      const here = originOf(server.address());
      outgoing.end(bytes ?? text.replaceAll(good.origin, here).replaceAll(proxyOrigin, here));
    })().catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: originOf(server.address()),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the good server answered to a GET, so that a hundred faults do not ask it the same a hundred times. */
export type Memory = Map<string, Promise<Reply>>;

async function spoil(fault: Fault, request: WireRequest, pass: Forward): Promise<Reply> {
  if (!fault.at.test(request.path)) return pass(request);
  fault.ask?.(request);
  if (fault.serve) return fault.serve(request, pass);
  const reply = await pass(request);
  if (!fault.answer || reply.status >= 300) return reply;
  const changed = fault.answer(JSON.parse(reply.text) as Json, request);
  return { status: reply.status, text: JSON.stringify(changed) };
}

async function forward(good: GoodServer, request: WireRequest): Promise<Reply> {
  const { origin, memory } = good;
  const url = `${origin}${request.path}${request.query.size === 0 ? "" : `?${request.query.toString()}`}`;
  const ask = async () => {
    const body = request.method === "GET" ? {} : { body: request.body };
    const response = await send(url, { method: request.method, headers: request.headers, ...body });
    const bytes = await response.body.bytes();
    const type = String(response.headers["content-type"] ?? "application/json");
    const text = new TextDecoder().decode(bytes);
    const reply = { status: response.statusCode, text, headers: { "content-type": type } };
    return type.startsWith("image/") ? { ...reply, bytes } : reply;
  };
  // What a step's page shows depends on what was posted before.
  if (request.method !== "GET" || request.path.startsWith("/legacy/steps/")) return ask();
  const name = JSON.stringify([url, request.headers]);
  const known = memory.get(name) ?? ask();
  memory.set(name, known);
  return known;
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? "/", proxyOrigin);
  const kept = ["authorization", "x-service-secret", "content-type"];
  const headers = kept.flatMap((name) => {
    const value = incoming.headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString(),
  };
}

function originOf(address: AddressInfo | string | null): string {
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}
