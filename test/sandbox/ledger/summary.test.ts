import { createHash } from "node:crypto";
import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { addDecimals, zero, type Decimal } from "../../../src/core/decimal.ts";
import { recordHash } from "../../../src/core/record-hash.ts";
import type { SandboxEnv } from "../../../src/sandbox/context.ts";
import { createBlemishes, normalise } from "../../../src/sandbox/ledger/blemishes.ts";
import { ledgerRoutes } from "../../../src/sandbox/ledger/routes.ts";
import { summarise, type LedgerSummary } from "../../../src/sandbox/ledger/summary.ts";
import { RefusedError, refusalStatus } from "../../../src/sandbox/refusal.ts";
import { parseFaults } from "../../../src/sandbox/transactions/faults.ts";
import { depsOf, keysOf, readAll, setUp } from "../transactions/some-answers.ts";
import { afterAllMs, aLedger, DAY, fromMs, toMs } from "./a-ledger.ts";

const count = 400;
const ledger = aLedger({ transactions: count });
const view = ledger.at(afterAllMs);
const rows = Array.from({ length: count }, (_, index) => ledger.history.rowsOfTransaction(index)).flat();

describe("the summary of a range", () => {
  const range = { fromMs: fromMs + 3 * DAY, toMs: fromMs + 20 * DAY };
  const inRange = rows.filter((row) => row.dateMs >= range.fromMs && row.dateMs < range.toMs);
  const records = inRange.map((row) => view.recordOf(row));

  test("counts rows and transactions", async () => {
    const { statusRows, transactions } = await summaryOf("", range);
    expect(statusRows.count).toBe(inRange.length);
    expect(transactions.count).toBe(new Set(inRange.map((row) => row.transactionId)).size);
  });

  test("adds up each currency by itself, in and out", async () => {
    const { statusRows } = await summaryOf("", range);
    for (const leg of ["in", "out"] as const) {
      const currencies = records.map((record) =>
        leg === "in" ? record.sourceCurrency : record.targetCurrency,
      );
      expect(Object.keys(statusRows.sums[leg]).toSorted()).toEqual([...new Set(currencies)].toSorted());
      for (const [currency, total] of Object.entries(statusRows.sums[leg]))
        expect(total).toBe(sum(leg, currency));
    }
  });

  function sum(leg: "in" | "out", currency: string): Decimal {
    return records
      .filter((record) => (leg === "in" ? record.sourceCurrency : record.targetCurrency) === currency)
      .reduce(
        (total, { inAmount, outAmount }) => addDecimals(total, leg === "in" ? inAmount : outAmount),
        zero,
      );
  }

  test("adds up the last status of each transaction", async () => {
    const { transactions } = await summaryOf("", range);
    const last = new Map(inRange.map((row) => [row.transactionId, row]));
    const eur = [...last.values()]
      .map((row) => view.recordOf(row))
      .filter((record) => record.sourceCurrency === "eur")
      .reduce<Decimal>((total, { inAmount }) => addDecimals(total, inAmount), zero);
    expect(transactions.sums.in["eur"]).toBe(eur);
  });

  test("digests each day, and the days", async () => {
    const { digest, days } = await summaryOf("", range);
    const lines = new Map<string, string[]>();
    for (const record of records) {
      const day = record.statusDate.slice(0, 10);
      lines.set(day, [...(lines.get(day) ?? []), `${record.transactionId}|${recordHash(normalise(record))}`]);
    }
    const total = createHash("sha256");
    for (const [day, each] of [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const hex = createHash("sha256").update(each.toSorted().join("\n")).digest("hex");
      expect(digest.days[day]).toBe(hex);
      expect(days[day]?.statusRows).toBe(each.length);
      total.update(`${day}:${hex}\n`);
    }
    expect(Object.keys(digest.days)).toHaveLength(lines.size);
    expect(digest.total).toBe(total.digest("hex"));
  });

  test("does not depend on dialects, and holds what a listing holds", async () => {
    const { statusRows } = await summaryOf("", { fromMs, toMs: afterAllMs });
    expect(keysOf(readAll(setUp({ ledger }).answers))).toHaveLength(statusRows.count);
  });

  test("knows only what has happened", async () => {
    const early = await summaryOf("", { fromMs, toMs: afterAllMs }, fromMs + 5 * DAY);
    expect(early.statusRows.count).toBe(rows.filter((row) => row.dateMs <= fromMs + 5 * DAY).length);
  });
});

describe("spoiled records", () => {
  const range = { fromMs, toMs: afterAllMs };

  test("that cannot be kept are left out and counted apart", async () => {
    const { statusRows, apart } = await summaryOf("malformed=0.2", range);
    expect(apart.malformed).toBeGreaterThan(100);
    expect(statusRows.count + apart.malformed).toBe(rows.length);
  });

  test("that can be kept are part of the digest in the form they are served in", async () => {
    const plain = await summaryOf("", range);
    const odd = await summaryOf("unknown-status=0.1,unknown-fields=0.1,null-fields=0.1", range);
    expect(odd.statusRows.count).toBe(plain.statusRows.count);
    expect(odd.digest.total).not.toBe(plain.digest.total);
    expect(
      Math.min(odd.apart["unknown-status"], odd.apart["unknown-fields"], odd.apart["null-fields"]),
    ).toBeGreaterThan(20);
  });

  test("that vanished or are not visible yet stay in the ledger, and are counted", async () => {
    const plain = await summaryOf("", range);
    const hidden = await summaryOf("vanished=0.2,drift=0.2", range);
    expect(hidden.digest.total).toBe(plain.digest.total);
    expect(hidden.apart["not-yet-visible"]).toBeGreaterThan(100);
    const later = await summaryOf("vanished=0.2,drift=0.2", range, afterAllMs, afterAllMs - 61_000);
    expect(later.digest.total).toBe(plain.digest.total);
    expect(later.apart.vanished).toBeGreaterThan(100);
    expect(later.apart["not-yet-visible"]).toBe(0);
  });
});

describe("over HTTP", () => {
  test("summary and records answer to key and secret only", async () => {
    const { app } = anApp();
    for (const path of ["summary", "records"]) {
      expect((await app.request(`/sandbox/ledger/${path}`)).status).toBe(401);
      expect((await app.request(`/sandbox/ledger/${path}`, { headers })).status).toBe(200);
    }
    expect((await app.request("/sandbox/ledger/summary?from=soon", { headers })).status).toBe(400);
  });

  test("the records are one line each, with the hash a copy should have", async () => {
    const { app } = anApp("malformed=0.1");
    const text = await (await app.request("/sandbox/ledger/records", { headers })).text();
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(rows.length);
    expect(lines.filter(({ recordHash: hash }) => hash === null).length).toBe(
      lines.filter(({ blemish }) => blemish === "malformed").length,
    );
  });
});

const headers = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };

function anApp(faults = "") {
  const app = new OpenAPIHono<SandboxEnv>();
  app.onError((error, c) =>
    error instanceof RefusedError
      ? c.text(error.message, refusalStatus(error.type))
      : c.text(String(error), 500),
  );
  app.route("/", ledgerRoutes(depsOf(ledger, { faults })));
  return { app };
}

function summaryOf(
  faults: string,
  range: { fromMs: number; toMs: number },
  nowMs = afterAllMs,
  sinceMs = nowMs,
): Promise<LedgerSummary> {
  const blemishes = createBlemishes({ seed: "tests", faults: parseFaults(faults), sinceMs });
  return summarise({ view: ledger.at(nowMs), blemishes, pause: () => Promise.resolve() }, range);
}

test("the range ends where it says", async () => {
  const whole = await summaryOf("", { fromMs, toMs: afterAllMs });
  const halves = await Promise.all([
    summaryOf("", { fromMs, toMs: toMs - 10 * DAY }),
    summaryOf("", { fromMs: toMs - 10 * DAY, toMs: afterAllMs }),
  ]);
  expect(halves[0].statusRows.count + halves[1].statusRows.count).toBe(whole.statusRows.count);
});
