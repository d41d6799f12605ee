import { setImmediate as immediate } from "node:timers/promises";
import { OpenAPIHono } from "@hono/zod-openapi";
import { instantMs } from "../../core/instant.ts";
import { recordHash } from "../../core/record-hash.ts";
import type { SandboxContext, SandboxEnv } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { faultsSince } from "../switches.ts";
import type { TransactionDeps } from "../transactions/answers.ts";
import { namingOf } from "../transactions/currency-names.ts";
import { parseIsoTime } from "../transactions/iso-time.ts";
import { createBlemishes } from "./blemishes.ts";
import type { Ledger } from "./ledger.ts";
import { textStream } from "./text-stream.ts";
import { rowsInRange, summarise, type SummaryRange } from "./summary.ts";

/** Behind the scenes: what the ledger of the calling account really holds. Not of the specification. */
export function ledgerRoutes(deps: TransactionDeps): OpenAPIHono<SandboxEnv> {
  const { books, seed, switches, now } = deps;
  const app = new OpenAPIHono<SandboxEnv>();

  const open = (c: SandboxContext) => {
    const account = deps.accounts.requireSecret(
      c.req.header("authorization"),
      c.req.header("x-service-secret"),
    );
    const ledger = books.of(account);
    return {
      range: readRange(ledger, now(), c.req.query()),
      view: ledger.at(now(), namingOf(switches.dialect)),
      blemishes: createBlemishes({ seed, faults: switches.faults, sinceMs: faultsSince(switches, now()) }),
      pause: () => immediate(),
    };
  };

  app.get("/sandbox/ledger/summary", async (c) => {
    const { range, ...read } = open(c);
    return c.json(await summarise(read, range));
  });
  app.get("/sandbox/ledger/records", (c) => {
    const { range, ...read } = open(c);
    return c.body(textStream(recordLines(read, range)), 200, {
      "content-type": "application/jsonl; charset=utf-8",
    });
  });
  return app;
}

function readRange(ledger: Ledger, nowMs: number, query: Record<string, string>): SummaryRange {
  const read = (field: string, otherwise: number) => {
    const text = query[field];
    if (text === undefined) return otherwise;
    const instant = parseIsoTime(text);
    if (instant === null)
      throw new RefusedError("INVALID_PARAMETER", `${field}: expected an ISO 8601 time`, field);
    return instantMs(instant);
  };
  return { fromMs: read("from", ledger.history.fromMs), toMs: read("to", nowMs + 1) };
}

async function* recordLines(
  deps: Parameters<typeof rowsInRange>[0],
  range: SummaryRange,
): AsyncGenerator<string> {
  for await (const { row, served } of rowsInRange(deps, range)) {
    yield `${JSON.stringify({
      transactionId: row.transactionId,
      recordHash: served.record === null ? null : recordHash(served.record),
      ...(served.before === undefined ? {} : { recordHashBefore: recordHash(served.before) }),
      blemish: served.blemish,
      vanished: deps.blemishes.hasVanished(row, deps.view.nowMs),
      visible: deps.blemishes.isVisible(row, deps.view.nowMs),
      text: served.text,
    })}\n`;
  }
}
