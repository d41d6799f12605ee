import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { type Database, statementsOn, type TransactionWork } from "../../src/store/database.ts";
import { addStatement, type ALine, type AStatement } from "../reconcile/books.ts";
import type { FixedClock } from "./fixed-clock.ts";

/**
 * Two statements and one that is overdue. MoonPay's first week: T01 and T06 agree, T02 is five euros short, T13 is not in
 * it, and one line names a transaction that nobody has. Banxa's week is imported last, and its payout is short of its
 * lines. Transak should have sent a statement by now.
 */
export async function seedStatements(session: FixedClock, accountId: number): Promise<void> {
  const db = databaseOf(session);
  const books = { db, accountId, name: "acme" };
  for (const { provider, value } of calendars) {
    await session.query(
      `insert into tieout.provider_settings (account_id, provider, kind, version, value, saved_at, saved_by)
       values (null, $1, 'calendar', 1, $2::jsonb, '2026-03-01T00:00:00Z', 'test')`,
      [provider, JSON.stringify(value)],
    );
  }
  for (const { at, statement } of imports) {
    await session.set(at);
    await addStatement(books, statement);
    await session.set(new Date(Date.parse(at) + 60_000).toISOString());
    await reconcileAccount(db, accountId);
  }
}

const calendars = [
  { provider: "moonpay", value: { period: "day", statement_lag_days: 2, payout_lag_days: 2 } },
  { provider: "banxa", value: { period: "week", statement_lag_days: 1, payout_lag_days: 1 } },
  { provider: "transak", value: { period: "day", statement_lag_days: 2, payout_lag_days: 2 } },
];

const imports: readonly { at: string; statement: AStatement }[] = [
  {
    at: "2026-03-08T11:40:00Z",
    statement: {
      provider: "moonpay",
      fileName: "moonpay-2026-03-01.csv",
      from: "2026-03-01T00:00:00Z",
      to: "2026-03-07T00:00:00Z",
      lines: [
        buy("moonpay", "T01", "2026-03-01T09:11:00Z", "100", "0.00202087", "0.5"),
        {
          ...buy("moonpay", "T02", "2026-03-01T10:31:00Z", "245.5", "0.00506228", "1.25"),
          fiat_net: "245.5",
        },
        buy("moonpay", "T06", "2026-03-02T12:10:00Z", "60", "0.00121252", "0.3"),
        buy("moonpay", "X99", "2026-03-05T08:00:00Z", "80", "0.0016", "0.4"),
        payout("MP-1", "2026-03-07T00:00:00Z", "2.45"),
      ].map((line): ALine => ({ ...line, payout_ref: "MP-1" })),
    },
  },
  {
    at: "2026-03-08T11:50:00Z",
    statement: {
      provider: "banxa",
      fileName: "banxa-week-10.csv",
      from: "2026-03-02T00:00:00Z",
      to: "2026-03-09T00:00:00Z",
      lines: [
        {
          ...buy("banxa", "T07", "2026-03-03T20:00:00Z", "500", "0.152345678901234567", "5"),
          fiat_currency: "USD",
          fee_currency: "USD",
          net_currency: "USD",
          asset: "eth",
          network: "ethereum",
        },
        {
          ...buy("banxa", "T12", "2026-03-08T11:00:00Z", "2410.4", "0.05", "12"),
          side: "sell",
          payout_ref: "BX-10",
        },
        { ...payout("BX-10", "2026-03-08T11:30:00Z", "11.5"), payout_ref: "BX-10" },
      ],
    },
  },
];

function buy(provider: string, of: string, at: string, fiat: string, crypto: string, share: string): ALine {
  return {
    of,
    key: `${provider}:${of}`,
    provider_transaction_id: `${provider}-${of}`,
    transaction_hash: null,
    fiat_gross: fiat,
    fiat_net: fiat,
    fee_total: "0",
    crypto_amount: crypto,
    net_amount: share,
    effective_at: at,
  };
}

function payout(ref: string, at: string, net: string): ALine {
  return { key: `payout:${ref}`, type: "payout", net_amount: net, net_currency: "EUR", effective_at: at };
}

/** The session whose clock stands still, for functions that open their own database transactions. */
function databaseOf(session: FixedClock): Database {
  const tx = statementsOn(session.client);
  const between =
    (end: "commit" | "rollback") =>
    async <T>(work: TransactionWork<T>): Promise<T> => {
      await session.query("begin");
      const result = await work(tx, session.client);
      await session.query(end);
      return result;
    };
  return {
    ...tx,
    transaction: between("commit"),
    rehearse: between("rollback"),
    session: (use) => use(session.client),
    close: async () => undefined,
  };
}
