import type { ServerResponse } from "node:http";
import type { Answer } from "../trouble/tamper.ts";

/** Writes the answer to the socket in the way it says, including the ways no server means to. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.delayMs > 0) setTimeout(() => send(response, answer), answer.delayMs);
  else send(response, answer);
}

function send(response: ServerResponse, { status, headers, body, sending }: Answer): void {
  // The client may have left while we were waiting.
  if (response.destroyed) return;
  if (sending === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  if (sending === "whole") {
    response.end(body);
    return;
  }
  const bytes =
    typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  switch (sending) {
    case "cut":
      response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
      return;
    case "slow":
      drip(response, bytes, 0);
      return;
    default:
      sending satisfies never;
  }
}

const dripCount = 20;
const dripMs = 100;

function drip(response: ServerResponse, bytes: Buffer, sent: number): void {
  if (response.destroyed) return;
  const next = Math.min(sent + Math.ceil(bytes.length / dripCount), bytes.length);
  response.write(bytes.subarray(sent, next));
  if (next === bytes.length) response.end();
  else setTimeout(() => drip(response, bytes, next), dripMs);
}
