import { allowedOn, legAgrees } from "./legs.ts";
import { execute, isAny, type Run } from "./run.ts";

/**
 * What is wrong with a line that a person split, as a whole: each part is held against its own transaction like any other
 * pair. It is the line's, and holds from the day on which the split was booked.
 */
const columns = `provider, code, line_id, expected, actual, currency, value, value_currency, owed, owed_currency, dated, holds_from`;

/** The parts were given to the last unit, so they are compared to the last unit. */
const amounts = `
  insert into run_found (${columns})
  select l.provider, 'split_amount_mismatch', l.id, split.amount, abs(l.fiat_amount), l.fiat_currency, rest.amount, l.fiat_currency,
         round(rest.amount * abs(l.net_amount / nullif(l.fiat_amount, 0)), 18), l.currency, l.effective_at, greatest(l.effective_at, split.booked_at)
  from (
    select p.line_id, sum(p.part_amount) as amount, min(p.booked_at) as booked_at
    from run_pairs as p
    where p.part_amount is not null
    group by p.line_id
  ) as split
  join run_lines as l on l.id = split.line_id
  cross join lateral (select abs(coalesce(abs(l.fiat_amount), 0) - split.amount)) as rest (amount)
  where rest.amount <> 0`;

/** A line states its coins once: they are held against those of all its transactions together. */
const coins = (leg: "in" | "out") => `
  insert into run_found (${columns})
  select p.provider, 'split_crypto_mismatch', p.line_id, p.${leg}_expected, p.${leg}_actual, p.${leg}_code, abs(p.${leg}_difference), p.${leg}_code,
         p.owed, p.owed_currency, p.effective_at, greatest(p.effective_at, p.completed_at, p.booked_at)
  from (
    select l.provider, l.id as line_id, l.owed, l.currency as owed_currency, l.effective_at, l.asset as ${leg}_code, split.places as ${leg}_places,
           split.completed_at, split.booked_at, split.amount as ${leg}_expected, l.crypto_amount as ${leg}_actual, l.crypto_amount - split.amount as ${leg}_difference
    from (
      select p.line_id, min(t.${leg}_places) as places, sum(t.${leg}_amount) as amount, max(t.status_date) as completed_at, min(p.booked_at) as booked_at,
             min(t.${leg}_code) as first_code, max(t.${leg}_code) as last_code, bool_and(not t.${leg}_is_fiat and t.status = 'completed') as is_told
      from run_pairs as p
      join run_transactions as t on t.transaction_id = p.transaction_id
      where p.part_amount is not null
        and p.line_type = 'charge'
      group by p.line_id
    ) as split
    join run_lines as l on l.id = split.line_id
    where split.is_told
      and split.first_code = l.asset             -- another asset is a finding of the transaction
      and split.last_code = l.asset
  ) as p${allowedOn(leg, `p.${leg}_difference`)}
  where not ${legAgrees(leg, `p.${leg}_difference`)}`;

export async function findInSplits(run: Run): Promise<void> {
  // Asked of the matches, whose index of splits is small, and not of all pairs.
  const hasSplits = await isAny(
    run,
    `from tieout.matches as m
     where m.part_amount is not null
       and m.account_id = :account_id
       and m.provider = any (:'providers'::text[])
       and m.state = 'active'`,
  );
  if (!hasSplits) return;
  await execute(run, amounts);
  for (const leg of ["in", "out"] as const) await execute(run, coins(leg));
}
