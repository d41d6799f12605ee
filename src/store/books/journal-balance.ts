import type { Queryable } from "../database.ts";

/** How the journal of an account stands in a currency, without its rows. */
export interface JournalBalance {
  accountId: number;
  currency: string;
  events: number;
  debit: string;
  credit: string;
  /** What is booked to the receivable, and what the claims moved by. */
  receivablePosted: string;
  receivableMoved: string;
  /** Every event, and so the whole. */
  balanced: boolean;
  /** The receivable of the journal is that of the report. */
  tied: boolean;
}

/** For a checklist: sums only, so that nobody waits for texts. `knownAt` is `null` for now. */
export async function readJournalBalance(
  database: Queryable,
  {
    accountIds,
    from,
    to,
    knownAt,
  }: {
    accountIds: readonly number[];
    from: string | null;
    to: string;
    knownAt: string | null;
  },
): Promise<JournalBalance[]> {
  return database.query<JournalBalance>(
    `select account_id as "accountId", currency, events::int, debit::text, credit::text,
            receivable_posted::text as "receivablePosted", receivable_moved::text as "receivableMoved",
            unbalanced_events = 0 and debit = credit as balanced,
            receivable_posted = receivable_moved as tied
     from tieout.journal_balance($1::int[], coalesce($2::timestamptz, '-infinity'), $3::timestamptz,
                                 coalesce($4::timestamptz, 'infinity'))
     order by account_id, currency`,
    [accountIds, from, to, knownAt],
  );
}
