import { requireKey, requireSecret, type Credentials } from "../credentials.ts";
import { createBlemishes, type Blemishes } from "../ledger/blemishes.ts";
import { compareRows } from "../ledger/history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { RefusedError, refusalBody, refusalStatus } from "../refusal.ts";
import { throwDice, type Dice } from "./dice.ts";
import { faultsSince, type Switches } from "./faults.ts";
import { writePage } from "./page.ts";
import { parseListQuery } from "./query.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface TransactionDeps {
  readonly ledger: Ledger;
  readonly seed: string;
  readonly credentials: Credentials;
  readonly switches: Switches;
  readonly now: () => number;
}

export interface TransactionRequest {
  readonly authorization: string | undefined;
  readonly serviceSecret: string | undefined;
  /** What follows the question mark. */
  readonly query: string;
}

/** What goes out, and how: some faults are not in the answer but in the way it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs: number;
  readonly sending: "whole" | "reset" | "cut" | "slow";
}

export interface Answers {
  list(request: TransactionRequest): Answer;
  single(request: TransactionRequest, transactionId: string): Answer;
}

export function createAnswers(deps: TransactionDeps): Answers {
  const { ledger, seed, switches, now } = deps;
  const limit = createRateLimit();
  let requests = 0;
  let accepted: SentCredentials | null = null;
  let spoiled: { faults: Switches["faults"]; blemishes: Blemishes } | null = null;

  function currentBlemishes(): Blemishes {
    if (spoiled?.faults !== switches.faults) {
      spoiled = {
        faults: switches.faults,
        blemishes: createBlemishes({ seed, faults: switches.faults, sinceMs: faultsSince(switches, now()) }),
      };
    }
    return spoiled.blemishes;
  }

  function checkCredentials({ authorization, serviceSecret }: TransactionRequest): void {
    // What was right a moment ago is right now: a listing sends the same two headers thousands of times.
    if (accepted !== null && isSame(accepted, { authorization, serviceSecret })) return;
    requireKey(deps.credentials, authorization);
    requireSecret(deps.credentials, serviceSecret);
    accepted = { authorization, serviceSecret };
  }

  function answer(request: TransactionRequest, write: (dice: Dice) => string): Answer {
    const { faults } = switches;
    const dice = throwDice({ seed, faults }, requests++);
    const answered = tamper({ dice, nowMs: now() }, () => {
      if (faults["revoked-after"] > 0 && requests > faults["revoked-after"]) {
        throw new RefusedError("API_KEY_INVALID", "The API key has been revoked.", "Authorization");
      }
      checkCredentials(request);
      const waitMs = limit.waitMs(faults["rate-limit"], now());
      return waitMs > 0 ? tooMany(dice, now(), waitMs) : json(200, write(dice));
    });
    return {
      ...answered,
      delayMs:
        faults["latency-ms"] === 0
          ? 0
          : faults["latency-ms"] * (0.5 + dice.draw("latency-ms") / 0x1_0000_0000),
      headers:
        faults["skew-seconds"] === 0
          ? answered.headers
          : { ...answered.headers, date: new Date(now() + faults["skew-seconds"] * 1000).toUTCString() },
    };
  }

  return {
    list: (request) =>
      answer(request, (dice) => {
        const { dialect, faults } = switches;
        const query = parseListQuery(new URLSearchParams(request.query), dialect);
        const listing = { view: ledger.at(now()), blemishes: currentBlemishes(), dialect, query };
        return writePage({ seed, faults, dice }, listing);
      }),
    single: (request, transactionId) =>
      answer(request, () => {
        const view = ledger.at(now());
        const blemishes = currentBlemishes();
        const latest = view
          .rowsOfId(transactionId)
          .filter((row) => blemishes.isVisible(row, view.nowMs))
          .toSorted(compareRows)
          .at(-1);
        if (!latest) throw new RefusedError("NOT_FOUND", "There is no such transaction.", "transactionId");
        return blemishes.textOf(view, latest);
      }),
  };
}

type SentCredentials = Pick<TransactionRequest, "authorization" | "serviceSecret">;

function isSame(a: SentCredentials, b: SentCredentials): boolean {
  return a.authorization === b.authorization && a.serviceSecret === b.serviceSecret;
}

type PlainAnswer = Omit<Answer, "delayMs">;

/** Lets faults come before, instead of and after the answer. */
function tamper({ dice, nowMs }: { dice: Dice; nowMs: number }, write: () => PlainAnswer): PlainAnswer {
  if (dice.strikes("reset")) return { ...json(200, ""), sending: "reset" };
  if (dice.strikes("429")) return tooMany(dice, nowMs, 1000 + (dice.draw("429") % 2000));
  if (dice.strikes("5xx")) return serverError(dice);
  if (dice.strikes("html")) return html;
  const plain = refuse(write);
  if (plain.status !== 200) return plain;
  if (dice.strikes("nan"))
    return { ...plain, body: plain.body.replace(/"inAmount":[^,]*/, '"inAmount":NaN') };
  if (dice.strikes("bom")) return { ...plain, body: `\uFEFF${plain.body}` };
  if (dice.strikes("truncated")) {
    const luck = dice.draw("truncated");
    // Half of them look complete to HTTP, and only the JSON inside is not.
    if (luck % 2 === 0) return { ...plain, sending: "cut" };
    return { ...plain, body: plain.body.slice(0, Math.floor((luck / 0x1_0000_0000) * plain.body.length)) };
  }
  return dice.strikes("slow-body") ? { ...plain, sending: "slow" } : plain;
}

function refuse(write: () => PlainAnswer): PlainAnswer {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return json(
      refusalStatus(error.type),
      JSON.stringify(refusalBody(error.type, error.message, error.field)),
    );
  }
}

function json(status: number, body: string): PlainAnswer {
  return { status, headers: jsonHeaders, body, sending: "whole" };
}

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };

function tooMany(dice: Dice, nowMs: number, waitMs: number): PlainAnswer {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  // A date has no fractions: one second more, or the client might come too early.
  const asDate = new Date(nowMs + (seconds + 1) * 1000).toUTCString();
  const body = JSON.stringify({
    errorId: 4290,
    type: "RATE_LIMIT_EXCEEDED",
    message: "Too many requests. Wait as long as Retry-After says.",
  });
  return {
    ...json(429, body),
    headers: { ...jsonHeaders, "retry-after": dice.draw("429") % 2 === 0 ? String(seconds) : asDate },
  };
}

function serverError(dice: Dice): PlainAnswer {
  const luck = dice.draw("5xx");
  const status = [500, 502, 503, 504][luck % 4] ?? 500;
  // Between us and the aggregator there are proxies, and proxies do not speak JSON.
  if (luck % 8 < 4) return { ...html, status };
  return json(status, JSON.stringify({ errorId: 5000, type: "INTERNAL", message: "Something went wrong." }));
}

const html: PlainAnswer = {
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title>Just a moment</title><h1>Checking your browser</h1><p>This takes a moment.</p>\n",
  sending: "whole",
};
