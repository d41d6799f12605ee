import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Decimal,
  decimal,
  negateDecimal,
  subtractDecimals,
  sumDecimals,
} from "../../src/core/decimal.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type ALine, type Books, openBooks, withdraw } from "../reconcile/books.ts";
import { type RandomBooks, randomBooks } from "../reconcile/random-books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";

const database = useTestDatabase();
/** Each is some dozen statements over whole books; more of them on demand. */
const runs = Number(process.env["RECONCILE_RUNS"] ?? 3);

const ofBooks = ["payout-reconciliation", "itemised", "discrepancies", "ageing", "position", "unsettled"];

test("a hash that two transactions shared then is reused as at then, whatever they share now", async () => {
  const books = await openBooks(database.db);
  const shared = { transactionHash: "one", walletAddress: "same" };
  await addRecords(books, [
    { id: "A", ...shared, at: "2026-03-01T00:00:00.000Z" },
    { id: "A", ...shared, transactionHash: "two", at: "2026-03-05T00:00:00.000Z" },
    { id: "C", ...shared, at: "2026-03-02T00:00:00.000Z" },
  ]);
  await reconcileAccount(database.db, books.accountId);
  const moment = { account: [books.name], as_at: ["2026-03-03"], known_at: [await nowOf(books)] };
  const columns = ["transaction_id"];
  const ask = async () =>
    (await read("discrepancies", { ...moment, code: ["hash_reused"], columns })).toSorted((a, b) =>
      (a["transaction_id"] ?? "") < (b["transaction_id"] ?? "") ? -1 : 1,
    );
  const expected = [{ transaction_id: "A" }, { transaction_id: "C" }];
  expect(await ask()).toEqual(expected);
  await addRecords(books, [{ id: "B", ...shared }]);
  await reconcileAccount(database.db, books.accountId);
  expect(await ask()).toEqual(expected);
});

describe("on generated books", () => {
  test("a report with a known_at has the same bytes whatever was stored afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, randomBooks, instantOfSpring, async (random, more, asAt) => {
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        await closeOne(books);
        const moment = { account: [books.name], as_at: [asAt], known_at: [await nowOf(books)] };
        const before = await readAll(moment);
        await addRecords(books, more.records);
        const second = await addStatement(books, { lines: more.lines.map(another) });
        await reconcileAccount(database.db, books.accountId);
        await closeOne(books);
        await withdraw(books, second);
        await reconcileAccount(database.db, books.accountId);
        expect(await readAll(moment)).toEqual(before);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("the position adds up in every currency, begins where the last one ended, and closes with what is unsettled", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, instantOfSpring, instantOfSpring, async (random, one, other) => {
        fc.pre(one !== other);
        const [from = "", to = ""] = [one, other].toSorted();
        const books = await booksFrom(random);
        await reconcileAccount(database.db, books.accountId);
        await closeOne(books);
        const given = { account: [books.name], known_at: [await nowOf(books)] };
        const first = await read("position", { ...given, as_at: [from] });
        const second = await read("position", { ...given, from: [from], to: [to] });
        for (const row of [...first, ...second])
          expect([row["currency"], row["unexplained"]]).toEqual([row["currency"], "0"]);
        const opening = byCurrency(first, "closing_unsettled");
        expect(byCurrency(second, "opening_unsettled")).toEqual({ ...zeros(second), ...opening });

        const unsettled = await read("unsettled", { ...given, as_at: [to] });
        const expected = sumsOf(
          unsettled,
          (row) => (row["source_currency"] ?? "").toUpperCase(),
          "in_amount",
        );
        expect(byCurrency(second, "closing_unsettled")).toEqual({ ...zeros(second), ...expected });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("the view of lines and the itemised report put every line into the same class", async () => {
    await fc.assert(
      fc.asyncProperty(randomBooks, declarations, async ({ records, lines }, payouts) => {
        const books = await openBooks(database.db);
        await addRecords(books, records);
        // Half of the payouts are named by their lines, half are the only one of their file.
        const unnamed = payouts.map((line) => ({
          ...line,
          payout_ref: null,
          provider_transaction_id: line["payout_ref"],
        }));
        await addStatement(books, { lines: [...lines, ...payouts.slice(1), ...unnamed.slice(0, 1)] });
        await reconcileAccount(database.db, books.accountId);
        await closeOne(books);
        const shown = await database.db.query<{ line: string; class: string }>(
          `select file_name || ' ' || line_no as line, class
           from reporting.statement_lines
           where account = $1
             and is_current
           order by line_id`,
          [books.name],
        );
        const items = await read("itemised", { account: [books.name] });
        const byLine = new Map(
          items.map((item) => [`${item["file_name"]} ${item["line_no"]}`, item["class"]]),
        );
        expect(shown).toEqual(shown.map(({ line }) => ({ line, class: byLine.get(line) })));
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test.each(["gross", "commission"] as const)(
    "every figure of a payout is the sum of its itemised lines, where the provider owes the %s",
    async (model) => {
      await fc.assert(
        fc.asyncProperty(randomBooks, declarations, async ({ records, lines }, payouts) => {
          const books = await openBooks(database.db);
          await addRecords(books, records);
          const others = lines.filter(({ type }) => type !== "payout");
          await addStatement(books, { lines: [...others, ...payouts], model });
          await reconcileAccount(database.db, books.accountId);
          const given = { account: [books.name] };
          const items = await read("itemised", given);
          for (const payout of await read("payout-reconciliation", given)) {
            const own = items.filter(
              (item) =>
                item["payout_ref"] === payout["payout_ref"] && item["line_currency"] === payout["currency"],
            );
            expect({ ...payout, ...figuresFrom(own, model) }).toEqual(payout);
            for (const { file_name, line_no } of own)
              expect(`${file_name} ${line_no}`).toMatch(/^\S+\.csv \d+$/);
          }
        }),
        { numRuns: runs, endOnFailure: true },
      );
    },
  );
});

/** Payouts that the random lines name, declared or not. */
const declarations = fc.subarray(["P1", "P2"]).chain((refs) =>
  fc.tuple(
    ...refs.map((ref) =>
      fc.constantFrom("3", "100", "-2.5").map((net): ALine => ({
        key: `payout ${ref}`,
        type: "payout",
        payout_ref: ref,
        net_amount: net,
        net_currency: "EUR",
      })),
    ),
  ),
);

function figuresFrom(items: Record<string, string>[], model: "gross" | "commission"): Record<string, string> {
  const of = (type: string) => items.filter((item) => item["line_type"] === type);
  const sum = (rows: Record<string, string>[], column: string) =>
    sumDecimals(rows.map((row) => decimal(row[column] ?? "")));
  const net = (type: string) => sum(of(type), "line_net");
  const charges = net("charge");
  const gross = model === "gross" ? sum(of("charge"), "line_gross") : decimal("0");
  const kept: Decimal = model === "gross" ? subtractDecimals(gross, charges) : decimal("0");
  const counted = items.filter((item) => item["line_type"] !== "payout");
  const declared = of("payout")[0]?.["payout_net"];
  return {
    line_count: String(counted.length),
    gross,
    fees: subtractDecimals(kept, net("fee")),
    refunds: negateDecimal(net("refund")),
    chargebacks: negateDecimal(net("chargeback")),
    adjustments: net("adjustment"),
    commissions: model === "gross" ? "0" : charges,
    net_computed: sum(counted, "line_net"),
    ...(declared === undefined ? {} : { net_declared: declared }),
  };
}

async function read(name: string, given: Record<string, string[]>): Promise<Record<string, string>[]> {
  return parseCsv(await readReport(database.db, requestFor(name, given)));
}

function byCurrency(rows: Record<string, string>[], column: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row["currency"] ?? "", row[column] ?? ""]));
}

function zeros(rows: Record<string, string>[]): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row["currency"] ?? "", "0"]));
}

function sumsOf(
  rows: Record<string, string>[],
  keyOf: (row: Record<string, string>) => string,
  column: string,
): Record<string, string> {
  const keys = [...new Set(rows.map(keyOf))];
  return Object.fromEntries(
    keys.map((key) => [
      key,
      sumDecimals(rows.filter((row) => keyOf(row) === key).map((row) => decimal(row[column] ?? "0"))),
    ]),
  );
}

const instantOfSpring = fc
  .integer({ min: 0, max: 80 })
  .map((days) => new Date(Date.UTC(2026, 2, 5) + days * 86_400_000).toISOString());

async function readAll(given: Record<string, string[]>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ofBooks) found[name] = await readReport(database.db, requestFor(name, given));
  return found;
}

/** A person writes off the first thing that is open. */
async function closeOne({ db, accountId }: Books): Promise<void> {
  await db.query(
    `with closed as (
       update tieout.discrepancies
       set state = 'written_off', reason = 'too small', resolved_by = 'a person', resolved_at = clock_timestamp(),
           last_changed_at = clock_timestamp(), version = version + 1
       where id = (select min(id) from tieout.discrepancies where account_id = $1 and state = 'open')
       returning *
     )
     insert into tieout.discrepancy_events (discrepancy_id, actor, event, state, reason, facts, facts_hash)
     select id, 'a person', 'written_off', state, reason, jsonb_strip_nulls(jsonb_build_object('since', since)), facts_hash
     from closed`,
    [accountId],
  );
}

async function booksFrom({ records, lines }: RandomBooks): Promise<Books> {
  const books = await openBooks(database.db);
  await addRecords(books, records);
  await addStatement(books, { lines });
  return books;
}

const another = (line: ALine): ALine => ({ ...line, key: `more ${String(line.key)}` });

async function nowOf(books: Books): Promise<string> {
  const [row] = await books.db.query<{ now: string }>(
    `select to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  );
  return row?.now ?? "";
}
