import { lookup } from "node:dns";
import { isIP } from "node:net";
import { Agent, request } from "undici";
import { SECOND } from "../core/duration.ts";
import { AddressRefused, createAddressCheck, guardLookup, type LookupAll } from "./reachable-addresses.ts";

/** What came of one attempt. */
export interface PostResult {
  /** `null` without an answer. */
  status: number | null;
  /** `null`: the receiver took it. */
  error: string | null;
}

export interface EventPoster {
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  close(): Promise<void>;
}

const timeoutMs = 15 * SECOND;
/** What a receiver says does not matter; so much is read that the connection can be used again. */
const answerBytesMax = 64 * 1024;

export interface PosterOptions {
  /** Private networks that may be called. */
  allowedNetworks: readonly string[];
  /** Open connections to one receiver. */
  connectionsMax: number;
  lookup?: LookupAll;
}

/** Sends events to receivers, and to nowhere else: no redirects, no private networks unless allowed. */
export function createPoster(options: PosterOptions): EventPoster {
  const check = createAddressCheck(options.allowedNetworks);
  const resolve: LookupAll = options.lookup ?? lookup;
  const agents = {
    "https:": openAgent(options, guardLookup(resolve, check.mayReach)),
    // In plain text only where someone has named the network.
    "http:": openAgent(options, guardLookup(resolve, check.isAllowed)),
  };

  async function send(url: string, headers: Record<string, string>, body: string): Promise<PostResult> {
    const { protocol, hostname } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:")
      return { status: null, error: "the address is not https" };
    const host = hostname.replaceAll(/^\[|\]$/g, "");
    const mayReach = protocol === "https:" ? check.mayReach : check.isAllowed;
    // A socket does not look up what is an address already.
    if (isIP(host) !== 0 && !mayReach(host)) throw new AddressRefused(host);
    const answer = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "tieout-webhooks", ...headers },
      body,
      dispatcher: agents[protocol],
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body.dump({ limit: answerBytesMax });
    const { statusCode: status } = answer;
    return { status, error: status >= 200 && status < 300 ? null : `the receiver answered ${status}` };
  }

  return {
    post: (url, headers, body) =>
      send(url, headers, body).catch((error: unknown) => ({ status: null, error: reasonOf(error) })),
    close: async () => {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

function openAgent({ connectionsMax }: PosterOptions, lookUp: ReturnType<typeof guardLookup>): Agent {
  return new Agent({
    connections: connectionsMax,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 10 * SECOND,
    connect: { timeout: 5 * SECOND, lookup: lookUp },
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const { cause } = error;
  if (error instanceof AddressRefused) return error.message;
  if (cause instanceof AddressRefused) return cause.message;
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / SECOND} s`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? "no answer" : `no answer (${code})`;
}
