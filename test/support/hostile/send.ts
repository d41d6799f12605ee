import { Agent, errors, request } from "undici";
import type { HostileRequest } from "./requests.ts";

export interface HostileAnswer {
  /** 0: the connection was closed before there was an answer, or nobody waited for it any longer. */
  status: number;
  text: string;
  headerBytes: number;
  tookMs: number;
}

/** `null` for what the client itself refuses to send. */
export type SendHostile = (
  wanted: Pick<HostileRequest, "method" | "path" | "headers" | "body">,
) => Promise<HostileAnswer | null>;

/** How much of an answer is looked at: a report may be long, and a failure stands at its beginning or its end. */
const textMax = 2_000_000;

const patienceMs = 30_000;

export function createSender(origin: string): { send: SendHostile; close: () => Promise<void> } {
  const dispatcher = new Agent({
    connections: 32,
    pipelining: 1,
    maxHeaderSize: 1_000_000,
    bodyTimeout: patienceMs,
    headersTimeout: patienceMs,
  });
  const send: SendHostile = async ({ method, path, headers, body }) => {
    const begun = performance.now();
    const took = () => performance.now() - begun;
    try {
      const answer = await request(origin + path, { dispatcher, method: method as "GET", headers, body });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        text: text.slice(0, textMax) + text.slice(-1_000),
        headerBytes: Object.entries(answer.headers).flat(2).join("    ").length,
        tookMs: took(),
      };
    } catch (error) {
      if (error instanceof errors.InvalidArgumentError) return null;
      const isLate = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
      // A body that is refused unread ends with the connection.
      const isClosed = error instanceof errors.SocketError || /EPIPE|ECONNRESET/.test(String(error));
      if (isClosed || isLate) return { status: 0, text: "", headerBytes: 0, tookMs: took() };
      throw error;
    }
  };
  return { send, close: () => dispatcher.close() };
}
