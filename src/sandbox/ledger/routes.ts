import { setImmediate as immediate } from "node:timers/promises";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { TieoutError } from "../../core/errors.ts";
import { instantMs, parseInstant } from "../../core/instant.ts";
import { recordHash } from "../../core/record-hash.ts";
import type { SandboxEnv } from "../context.ts";
import { requireKey, requireSecret } from "../credentials.ts";
import { RefusedError } from "../refusal.ts";
import type { TransactionDeps } from "../transactions/answers.ts";
import { dialectWords, parseDialect } from "../transactions/dialect.ts";
import { faultKinds, faultsSince, parseFaults } from "../transactions/faults.ts";
import { createBlemishes } from "./blemishes.ts";
import { textStream } from "./text-stream.ts";
import { rowsInRange, summarise, type SummaryRange } from "./summary.ts";

/** Behind the scenes: what the ledger really holds, and the switches of dialect and faults. Not of the specification. */
export function ledgerRoutes(deps: TransactionDeps): OpenAPIHono<SandboxEnv> {
  const { ledger, seed, switches, now } = deps;
  const app = new OpenAPIHono<SandboxEnv>();
  const open = () => ({
    view: ledger.at(now()),
    blemishes: createBlemishes({ seed, faults: switches.faults, sinceMs: faultsSince(switches, now()) }),
    pause: () => immediate(),
  });

  app.use("/sandbox/ledger/*", async (c, next) => {
    requireKey(deps.credentials, c.req.header("authorization"));
    requireSecret(deps.credentials, c.req.header("x-service-secret"));
    await next();
  });
  app.get("/sandbox/ledger/summary", async (c) =>
    c.json(await summarise(open(), readRange(deps, c.req.query()))),
  );
  app.get("/sandbox/ledger/records", (c) =>
    c.body(textStream(recordLines(open(), readRange(deps, c.req.query()))), 200, {
      "content-type": "application/jsonl; charset=utf-8",
    }),
  );

  app.get("/sandbox/ledger/switches", (c) =>
    c.json({ dialect: switches.dialect, faults: switches.faults, dialects: dialectWords, kinds: faultKinds }),
  );
  app.put("/sandbox/ledger/switches", async (c) => {
    const wanted = switchesSchema.safeParse(await c.req.json().catch(() => null));
    if (!wanted.success) {
      throw new RefusedError(
        "INVALID_BODY",
        'Send {"dialect": "window=creation", "faults": "429=0.05"}, or one of them.',
      );
    }
    const { dialect, faults } = wanted.data;
    const next = usable(() => ({
      dialect: dialect === undefined ? switches.dialect : parseDialect(dialect),
      faults: faults === undefined ? switches.faults : parseFaults(faults),
    }));
    Object.assign(switches, next);
    return c.json(next);
  });
  return app;
}

const switchesSchema = z.strictObject({ dialect: z.string().optional(), faults: z.string().optional() });

/** A mistake in the words of a switch is the caller's. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TieoutError) throw new RefusedError("INVALID_BODY", error.message);
    throw error;
  }
}

function readRange({ ledger, now }: TransactionDeps, query: Record<string, string>): SummaryRange {
  const read = (field: string, otherwise: number) => {
    const text = query[field];
    if (text === undefined) return otherwise;
    const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
    if (instant === null)
      throw new RefusedError("INVALID_PARAMETER", `${field}: expected an ISO 8601 time`, field);
    return instantMs(instant);
  };
  return { fromMs: read("from", ledger.history.fromMs), toMs: read("to", now() + 1) };
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
