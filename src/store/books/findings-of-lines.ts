import { execute, isAny, type Run } from "./run.ts";

/** What is wrong with a line that settles nothing, or that contradicts itself. It holds from the line's own date on. */
const columns = `provider, code, transaction_id, line_id, payout_ref, expected, actual, currency, expected_text, actual_text, value,
    value_currency, owed, owed_currency, dated, holds_from, holds_to`;

const customerMoney = "abs(l.fiat_amount), l.fiat_currency";
const owedToUs = "l.owed, l.currency";
const isRead = "(select covered from run_read) @> l.effective_at";

/** Lines that settle nothing, and those that settled nothing until the day on which a person's match was booked. */
interface Loose {
  readonly from: string;
  readonly holdsTo: string;
  readonly where: string;
}

const loose: Loose = {
  from: "run_loose as l",
  holdsTo: "'infinity'::timestamptz",
  where: "true",
};

/** Few, and looked for once: three rules ask for them. Only among these are lines without a pair, by how pairs are made. */
const gatherLoose = `
  create temp table run_loose on commit drop as
  select l.*
  from (
    select id from run_rest
    union
    select line_id from run_ambiguous
    union
    select line_id from run_duplicates
  ) as left_over
  join run_lines as l using (id)
  where l.line_type in ('charge', 'refund', 'chargeback', 'chargeback_reversal', 'adjustment', 'reserve')
    and not exists (select from run_pairs as p where p.line_id = l.id)`;

const untilBooked: Loose = {
  from: "run_booked as b join run_lines as l on l.id = b.line_id",
  holdsTo: "b.booked_at",
  where: "b.transactions = 0",
};

const missingFromRecords = ({ from, holdsTo, where }: Loose) => `
  insert into run_found (${columns})
  select l.provider, 'missing_from_records', null, l.id, null, case when l.fiat_amount is not null then 0 end, l.fiat_amount,
         l.fiat_currency, null, null, ${customerMoney}, ${owedToUs}, l.effective_at, l.effective_at, ${holdsTo}
  from ${from}
  where l.line_type = 'charge'
    and l.moved_money
    and ${where}
    and not exists (select from run_ambiguous as a where a.line_id = l.id)
    and not exists (select from run_duplicates as d where d.line_id = l.id)
    and ${isRead}`;

const ambiguous = `
  insert into run_found (${columns})
  select l.provider, 'ambiguous', null, l.id, null, null, null, null, a.transaction_ids,
         coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash), ${customerMoney}, ${owedToUs}, l.effective_at,
         l.effective_at, a.holds_to
  from (
    select line_id, transaction_ids, 'infinity'::timestamptz as holds_to from run_ambiguous
    union all
    select line_id, transaction_ids, booked_at from run_booked where transactions > 1
  ) as a
  join run_lines as l on l.id = a.line_id
  where l.line_type = 'charge'`;

/** Only once the other line is there, too. */
const duplicateSettlement = `
  insert into run_found (${columns})
  select l.provider, 'duplicate_settlement', d.transaction_id, l.id, null, case when l.fiat_amount is not null then 0 end, l.fiat_amount,
         l.fiat_currency, null, null, ${customerMoney}, ${owedToUs}, l.effective_at,
         greatest(l.effective_at, settling.effective_at, b.booked_at), 'infinity'
  from run_duplicates as d
  join run_lines as l on l.id = d.line_id
  join run_lines as settling on settling.id = d.settled_by
  left join run_booked as b on b.line_id = d.settled_by
  where l.moved_money`;

const unlinkedReversal = ({ from, holdsTo, where }: Loose) => `
  insert into run_found (${columns})
  select l.provider, 'unlinked_reversal', null, l.id, null, 0, l.net_amount, l.net_currency, null, null, abs(l.net_amount), l.net_currency,
         ${owedToUs}, l.effective_at, l.effective_at, ${holdsTo}
  from ${from}
  where l.line_type in ('refund', 'chargeback', 'chargeback_reversal')
    and ${where}
    and ${isRead}`;

/** Money moved in a payout for no reason that is known. */
const unexplainedMovement = ({ from, holdsTo, where }: Loose) => `
  insert into run_found (${columns})
  select l.provider, 'unexplained_movement', null, l.id, paid.ref, 0, l.net_amount, l.net_currency, null, null, abs(l.net_amount),
         l.net_currency, ${owedToUs}, l.effective_at, l.effective_at, ${holdsTo}
  from ${from}
  left join tieout.file_payouts(array[:account_id::int], 'infinity') as file
    on file.statement_id = l.statement_id
   and file.currency = l.currency
  cross join lateral (select coalesce(l.payout_ref, file.payout_ref)) as paid (ref)
  where l.line_type in ('adjustment', 'reserve')
    and l.net_amount <> 0
    and paid.ref is not null
    and l.category is null
    and ${where}`;

const unknownStatus = `
  insert into run_found (${columns})
  select l.provider, 'unknown_status', p.transaction_id, l.id, null, null, null, null, 'a status that is known', coalesce(l.provider_status, ''),
         coalesce(nullif(abs(t.fiat_amount), 0), abs(l.fiat_amount)),
         case when nullif(t.fiat_amount, 0) is null then l.fiat_currency else t.fiat_currency end,
         ${owedToUs}, l.effective_at, l.effective_at, 'infinity'
  from run_lines as l
  left join run_pairs as p on p.line_id = l.id and p.part_amount is null     -- of a split, it is the line's own
  left join run_transactions as t on t.transaction_id = p.transaction_id
  where l.line_type = 'charge'
    and l.status = 'unknown'`;

/** What the line's own figures come to: gross less fees is net; net at the printed rate is the crypto amount. */
const ofOwnFigures = (code: string, figures: string) => `
  insert into run_found (${columns})
  select f.provider, '${code}', p.transaction_id, f.id, null, f.expected, f.actual, f.currency, null, null, abs(f.actual - f.expected),
         f.currency, f.owed, f.owed_currency, f.effective_at, f.effective_at, 'infinity'
  from (${figures}
  ) as f
  left join run_pairs as p on p.line_id = f.id and p.line_type = 'charge' and p.part_amount is null
  where abs(f.actual - f.expected) > f.allowed`;

const arithmetic = `
    select l.provider, l.id, l.effective_at, l.owed, l.currency as owed_currency, l.fiat_gross - l.fee_total as expected,
           l.fiat_net as actual, l.fiat_currency as currency, coalesce(power(10::numeric, -w.places), 0.01) as allowed
    from run_lines as l
    left join tieout.currency_words as w on w.word = lower(l.fiat_currency)
    where l.line_type = 'charge'
      and l.fee_currency = l.fiat_currency
      and l.fiat_gross - l.fee_total <> l.fiat_net`;

/** As exactly as the rate was printed. Where the statement does not say of which amount, the one that fits better. */
const rates = `
    select distinct on (l.id) l.provider, l.id, l.effective_at, l.owed, l.currency as owed_currency,
           case l.rate_basis when 'crypto_per_fiat' then basis.amount * l.rate else l.crypto_amount * l.rate end as expected,
           case l.rate_basis when 'crypto_per_fiat' then l.crypto_amount else basis.amount end as actual,
           case l.rate_basis when 'crypto_per_fiat' then l.asset else l.fiat_currency end as currency,
           case l.rate_basis
             when 'crypto_per_fiat' then basis.amount * power(10::numeric, -scale(l.rate)) + c.rate_tolerance * l.crypto_amount + 0.00000001
             else l.crypto_amount * power(10::numeric, -scale(l.rate)) + c.rate_tolerance * basis.amount + 0.01
           end as allowed
    from run_lines as l
    join run_calendar as c using (provider)
    cross join lateral (values ('net', l.fiat_net), ('gross', l.fiat_gross)) as basis (name, amount)
    where l.line_type = 'charge'
      and l.rate_basis in ('crypto_per_fiat', 'fiat_per_crypto')
      and l.rate <> 0
      and basis.amount is not null
      and (l.rate_applies_to is null or l.rate_applies_to in (basis.name, 'market'))
    order by l.id, abs(case l.rate_basis when 'crypto_per_fiat' then basis.amount * l.rate - l.crypto_amount
                                        else l.crypto_amount * l.rate - basis.amount end)`;

const ofLoose = (which: Loose) => [
  missingFromRecords(which),
  unlinkedReversal(which),
  unexplainedMovement(which),
];

const rules = [
  ...ofLoose(loose),
  ambiguous,
  duplicateSettlement,
  unknownStatus,
  ofOwnFigures("line_arithmetic_mismatch", arithmetic),
  ofOwnFigures("rate_variance", rates),
];

export async function findInLines(run: Run): Promise<void> {
  if (!(await isAny(run, "from run_lines"))) return;
  await execute(run, gatherLoose);
  for (const rule of rules) await execute(run, rule);
  if (!(await isAny(run, "from run_booked"))) return;
  for (const rule of ofLoose(untilBooked)) await execute(run, rule);
}
