import { refusalBody, type ErrorBody } from "../refusal.ts";
import type { Dice } from "../transactions/dice.ts";
import type { Faults } from "../transactions/faults.ts";

/** What goes out, and how: some faults are not in the answer but in the way it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly delayMs: number;
  readonly sending: "whole" | "reset" | "cut" | "slow";
}

export interface Scene {
  readonly dice: Dice;
  readonly nowMs: number;
  readonly errorBody: ErrorBody;
}

/** The answer that a fault gives instead of the right one; `null` when none does. */
export function strikeBefore({ dice, nowMs, errorBody }: Scene): Answer | null {
  if (dice.strikes("reset")) return { ...json(200, ""), sending: "reset" };
  if (dice.strikes("429")) return tooMany({ dice, nowMs, errorBody }, 1000 + (dice.draw("429") % 2000));
  if (dice.strikes("5xx")) return serverError(dice, errorBody);
  return dice.strikes("html") ? html : null;
}

/** What faults make of the right answer. */
export function spoil(dice: Dice, plain: Answer): Answer {
  if (plain.status !== 200) return plain;
  if (dice.strikes("nan")) {
    return { ...plain, body: bodyText(plain).replace(/"inAmount":[^,]*/, '"inAmount":NaN') };
  }
  if (dice.strikes("bom")) return { ...plain, body: `\uFEFF${bodyText(plain)}` };
  if (dice.strikes("truncated")) {
    const luck = dice.draw("truncated");
    // Half of them look complete to HTTP, and only the JSON inside is not.
    if (luck % 2 === 0) return { ...plain, sending: "cut" };
    const text = bodyText(plain);
    return { ...plain, body: text.slice(0, Math.floor((luck / 0x1_0000_0000) * text.length)) };
  }
  return dice.strikes("slow-body") ? { ...plain, sending: "slow" } : plain;
}

/** Lets every answer wait, and its clock go wrong, as the faults say. */
export function delayAndSkew(answer: Answer, faults: Faults, { dice, nowMs }: Scene): Answer {
  const wait = faults["latency-ms"];
  const skew = faults["skew-seconds"];
  if (wait === 0 && skew === 0) return answer;
  return {
    ...answer,
    delayMs: wait === 0 ? 0 : wait * (0.5 + dice.draw("latency-ms") / 0x1_0000_0000),
    headers:
      skew === 0 ? answer.headers : { ...answer.headers, date: new Date(nowMs + skew * 1000).toUTCString() },
  };
}

export function tooMany({ dice, nowMs, errorBody }: Scene, waitMs: number): Answer {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  // A date has no fractions: one second more, or the client might come too early.
  const asDate = new Date(nowMs + (seconds + 1) * 1000).toUTCString();
  const body = refusalBody({ type: "RATE_LIMIT_EXCEEDED", message: tooManyRequests }, errorBody);
  return {
    ...json(429, JSON.stringify(body)),
    headers: { ...jsonHeaders, "retry-after": dice.draw("429") % 2 === 0 ? String(seconds) : asDate },
  };
}

export const tooManyRequests = "Too many requests. Wait as long as Retry-After says.";

export function json(status: number, body: string | Uint8Array): Answer {
  return { status, headers: jsonHeaders, body, delayMs: 0, sending: "whole" };
}

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };

export function bodyText({ body }: Pick<Answer, "body">): string {
  return typeof body === "string"
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
}

function serverError(dice: Dice, errorBody: ErrorBody): Answer {
  const luck = dice.draw("5xx");
  const status = [500, 502, 503, 504][luck % 4] ?? 500;
  // Between us and the aggregator there are proxies, and proxies do not speak JSON.
  if (luck % 8 < 4) return { ...html, status };
  const body = refusalBody({ type: "INTERNAL", message: "Something went wrong." }, errorBody);
  return json(status, JSON.stringify(body));
}

const html: Answer = {
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title>Just a moment</title><h1>Checking your browser</h1><p>This takes a moment.</p>\n",
  delayMs: 0,
  sending: "whole",
};
