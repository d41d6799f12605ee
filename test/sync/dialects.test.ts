import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDecimal } from "../../src/core/decimal.ts";
import type { LedgerSummary } from "../../src/sandbox/ledger/summary.ts";
import { type Dialect, dialectWords, plainDialect } from "../../src/sandbox/transactions/dialect.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { readRowVersions } from "../support/row-versions.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, type FrozenSandbox, startFrozenSandbox, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
let frozen: FrozenSandbox;

type DialectName = keyof Dialect;
type Sums = LedgerSummary["statusRows"]["sums"];

beforeAll(async () => {
  frozen = await startFrozenSandbox({ transactions: 40 });
});
afterAll(() => frozen.sandbox.close());

const names = Object.keys(dialectWords) as DialectName[];

describe("every way a server may speak", () => {
  // Every word of every switch together with every word of every other switch, in as few dialects as that takes.
  test.each(
    pairwiseDialects().map((dialect) => [names.map((name) => dialect[name]).join(" "), dialect] as const),
  )("is read to the last record, and read again without a change: %s", async (_, dialect) => {
    const { sandbox } = frozen;
    sandbox.switches.dialect = dialect;
    const account = await addAccount(database.db, sandbox);
    const expected = await readLedger(sandbox, { rows: dialect.rows });
    const first = await syncToEnd(syncDeps(database.db), account);
    expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
    expect(first.windows.added).toBe(expected.records.length);
    expect(first.coverage).toEqual({ share: 1, gaps: [], gapCount: 0 });

    const versions = await readRowVersions(database.db, account.id);
    await database.db.query(
      `update tieout.sync_windows set state = 'planned', sealed_at = null where account_id = $1 and state = 'sealed'`,
      [account.id],
    );
    const second = await syncToEnd(syncDeps(database.db), account);
    expect(second.windows.read).toBeGreaterThan(first.windows.read);
    expect(second.windows.added).toBe(first.windows.added);
    expect(await readRowVersions(database.db, account.id)).toEqual(versions);
  });

  test("the pairs are all there", () => {
    const dialects = pairwiseDialects();
    expect(missingPairs(dialects)).toEqual([]);
    // With one dialect less, a pair can be missing: so the look finds what is not there.
    const withoutOne = dialects.map((_, at) => missingPairs(dialects.toSpliced(at, 1)).length);
    expect(Math.max(...withoutOne)).toBeGreaterThan(0);
  });
});

test("counts, sums per currency and digest are those that the sandbox states of itself", async () => {
  const { sandbox } = frozen;
  sandbox.switches.dialect = plainDialect;
  const account = await addAccount(database.db, sandbox);
  await syncToEnd(syncDeps(database.db), account);
  const headers = { authorization: sandbox.apiKey, "x-service-secret": sandbox.apiSecret };
  const answer = await fetch(`${sandbox.url}/sandbox/ledger/summary`, { headers });
  const stated = (await answer.json()) as LedgerSummary;
  expect(await summariseTable("transaction_statuses", account.id)).toEqual(stated.statusRows);
  expect(await summariseTable("transactions", account.id)).toEqual(stated.transactions);
  expect(await digestInSql(account.id)).toBe(stated.digest.total);
});

async function summariseTable(table: string, accountId: number): Promise<{ count: number; sums: Sums }> {
  const sum = async (currency: string, amount: string) => {
    const rows = await database.db.query<{ currency: string; total: string }>(
      `select ${currency} as currency, sum(${amount})::text as total
       from tieout.${table}
       where account_id = $1
       group by ${currency}`,
      [accountId],
    );
    return Object.fromEntries(rows.map(({ currency: code, total }) => [code, parseDecimal(total)]));
  };
  const [row] = await database.db.query<{ count: number }>(
    `select count(*)::int as count from tieout.${table} where account_id = $1`,
    [accountId],
  );
  const sums = {
    in: await sum("source_currency", "in_amount"),
    out: await sum("target_currency", "out_amount"),
  };
  return { count: row?.count ?? 0, sums: sums as Sums };
}

/** The digest by the words of its definition, in another language than the one that wrote the rows. */
async function digestInSql(accountId: number): Promise<string> {
  const [row] = await database.db.query<{ digest: string }>(
    `with days as (
       select to_char(status_date at time zone 'UTC', 'YYYY-MM-DD') as day,
              encode(sha256(string_agg(line, E'\\n' order by line collate "C")::bytea), 'hex') as hex
       from (select status_date, transaction_id || '|' || encode(record_hash, 'hex') as line
             from tieout.transaction_statuses
             where account_id = $1) as lines
       group by 1
     )
     select encode(sha256(string_agg(day || ':' || hex || E'\\n', '' order by day)::bytea), 'hex') as digest
     from days`,
    [accountId],
  );
  return row?.digest ?? "";
}

function pairwiseDialects(): Dialect[] {
  const dialects: Dialect[] = [plainDialect];
  for (;;) {
    const missing = missingPairs(dialects);
    const seed = missing[0];
    if (!seed) return dialects;
    const dialect: Record<string, string> = Object.fromEntries(seed);
    for (const name of names) dialect[name] ??= bestWord(name, dialect, missing);
    dialects.push(dialect as Dialect);
  }
}

type Pair = readonly [readonly [DialectName, string], readonly [DialectName, string]];

/** The word that meets the most missing pairs with what is chosen already. */
function bestWord(name: DialectName, chosen: Record<string, string>, missing: readonly Pair[]): string {
  const score = (word: string) =>
    missing.filter((pair) => {
      const own = pair.some(([switchName, value]) => switchName === name && value === word);
      return own && pair.every(([switchName, value]) => switchName === name || chosen[switchName] === value);
    }).length;
  return [...dialectWords[name]].toSorted((a, b) => score(b) - score(a))[0] ?? "";
}

function missingPairs(dialects: readonly Dialect[]): Pair[] {
  const pairs = names.flatMap((a, at) =>
    names.slice(at + 1).flatMap((b) =>
      dialectWords[a].flatMap((left) =>
        dialectWords[b].map((right): Pair => [
          [a, left],
          [b, right],
        ]),
      ),
    ),
  );
  return pairs.filter(
    (pair) => !dialects.some((dialect) => pair.every(([name, word]) => dialect[name] === word)),
  );
}
