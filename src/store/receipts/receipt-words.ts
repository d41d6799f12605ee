import type { Queryable } from "../database.ts";

/** Currencies of payouts and bank lines whose smallest unit has not been looked up yet. */
export async function listNewReceiptWords(tx: Queryable, accountId: number): Promise<string[]> {
  const rows = await tx.query<{ word: string }>(
    `select used.word
     from (
       select lower(currency) as word from tieout.payouts where account_id = $1
       union
       select lower(b.currency)
       from tieout.receipt_files as f
       cross join lateral jsonb_to_recordset(f.balances) as b (currency text)
       where f.account_id = $1
     ) as used
     where used.word is not null
       and not exists (select from tieout.currency_words as w where w.word = used.word)`,
    [accountId],
  );
  return rows.map(({ word }) => word);
}
