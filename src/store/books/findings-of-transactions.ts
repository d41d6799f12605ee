import { cameBack, owedByPair } from "./legs.ts";
import { analyze, execute, isAny, make, type Run } from "./run.ts";

/** What is wrong with a transaction by itself, or because nothing stands against it. */
const columns =
  "provider, code, level, transaction_id, line_id, expected, actual, currency, expected_text, actual_text, value, value_currency, owed, owed_currency, dated, holds_from, holds_to";

/** At stake is the customer's money; of it our share, where the calendar states one. */
const atStake = `abs(t.fiat_amount), t.fiat_currency, abs(t.fiat_amount) * c.our_share, t.fiat_currency`;

const words = (code: string, expected: string, actual: string, from: string, level = "null") => `
  insert into run_found (${columns})
  select t.provider, '${code}', ${level}, t.transaction_id, null, null, null, null, ${expected}, ${actual}, ${atStake}, t.status_date, ${from}, t.holds_to
  from run_versions as t
  join run_calendar as c on c.provider = t.provider`;

/** Those that no line settles, and those that none settled until the day on which a person's match was booked. */
interface Unsettled {
  readonly from: string;
  readonly until: string;
  readonly where: string;
}

const inTimeTold = `t.status = 'completed'
      and t.status_date >= :'told_from'::timestamptz      -- for the index: what a statement tells of cannot use one
      and t.status_date <= :'told_to'::timestamptz`;

const unsettled: Unsettled = {
  from: `(
    select t.provider, t.transaction_id, t.status_date, t.fiat_amount, t.fiat_currency, t.holds_from, t.holds_to
    from run_versions as t
    where ${inTimeTold}
      and not exists (select from run_pairs as p where p.transaction_id = t.transaction_id and p.line_type = 'charge')
    offset 0                             -- few: only these are held against the statements
  ) as t`,
  until: "'infinity'::timestamptz",
  where: "true",
};

const untilBooked: Unsettled = {
  from: `run_versions as t
  join run_pairs as p on p.transaction_id = t.transaction_id and p.line_type = 'charge' and ${inTimeTold}`,
  until: "p.booked_at",
  where: "p.booked_at > greatest(t.holds_from, made.at)",
};

/**
 * A statement in force tells of its time, and it is not there. Known from the day on which such a statement was made; an
 * exclusion ends it. One that has a line, dated later perhaps, is not missing: it is on its way.
 */
const missingFromStatement = ({ from, until, where }: Unsettled) => `
  insert into run_found (${columns})
  select t.provider, 'missing_from_statement', null, t.transaction_id, null, t.fiat_amount, case when t.fiat_amount is not null then 0 end,
         t.fiat_currency, null, null, ${atStake}, t.status_date, greatest(t.holds_from, made.at),
         least(t.holds_to, ${until}, case when cover.all_excluded or t.status_date < cover.excluded_before or t.transaction_id = any (cover.excluded_ids)
                                then cover.excluded_since end)
  from ${from}
  join run_calendar as c on c.provider = t.provider
  join run_coverage as cover on cover.provider = t.provider
  cross join lateral (
    select min(s.generated_at) as at
    from tieout.statements as s
    where s.account_id = :account_id
      and s.provider = t.provider
      and s.state = 'imported'
      and s.period_basis <> 'summary'
      and case s.period_basis
        when 'activity' then s.period_from <= t.status_date and s.period_to > t.status_date
        else s.period_to > t.status_date
      end
  ) as made
  where cover.told @> t.status_date
    and ${where}`;

const hashMissing = `${words("hash_missing", "'a chain hash'", "''", "t.status_date + interval '24 hours'")}
  where t.status = 'completed'
    and t.transaction_type = 'buy'
    and coalesce(t.transaction_hash, '') = ''
    and not exists (
      select
      from tieout.transaction_statuses as s
      where s.account_id = :account_id
        and s.transaction_id = t.transaction_id
        and s.transaction_hash <> ''
    )
    and not exists (
      select
      from run_pairs as p
      join run_lines as l on l.id = p.line_id
      where p.transaction_id = t.transaction_id
        and l.transaction_hash is not null
    )`;

/** Most transactions end within minutes, and each would leave a row behind: younger ones are not looked at ahead of time. */
export const openForAWhile = "interval '6 hours'";

const staleOpen = `${words("stale_open", "'a final status'", "t.status", "t.status_date + patience.limit")}
  cross join lateral (
    select case when t.payment_method ~* '(card|applepay|googlepay)' then c.stale_card else c.stale_bank end as limit
  ) as patience
  where not t.is_final
    and t.status_date < :'stamp'::timestamptz - ${openForAWhile}`;

const unknownStatus = `${words("unknown_status", "'a status that is known'", "t.status", "t.holds_from")}
  where not t.is_final
    and t.status_rank = 0`;

/** Whether there can be anything to say about an earlier row `h` beside the latest `t`: only such histories are kept in mind. */
export const notable = `(h.status_date = t.status_date                                    -- perhaps a contradiction
     or h.status_rank >= 40                                                -- an end that was none
     or h.status_rank = 0                                                  -- a word that nobody knew
     or (t.status_rank in (10, 20, 30) and h.status_rank > t.status_rank)  -- a step back
     or t.status_date - h.status_date                                      -- open for too long
        > case when h.payment_method ~* '(card|applepay|googlepay)' then interval '24 hours' else interval '120 hours' end)`;

/** Where two rows of one instant and status differ, and what each says. */
const contradiction = (side: "h" | "t") => `case
           when h.status_date <> t.status_date then null
           when h.status <> t.status and h.status_rank >= 40 and t.status_rank >= 40 then ${side}.status
           when h.status <> t.status then null
           when h.in_amount <> t.in_amount then 'in_amount ' || trim_scale(${side}.in_amount)
           when nullif(h.out_amount, 0) <> nullif(t.out_amount, 0) then 'out_amount ' || trim_scale(${side}.out_amount)
           when h.source_currency <> t.source_currency then 'source_currency ' || ${side}.source_currency
           when h.target_currency <> t.target_currency then 'target_currency ' || ${side}.target_currency
           when nullif(h.transaction_hash, '') <> nullif(t.transaction_hash, '') then 'transaction_hash ' || ${side}.transaction_hash
           when nullif(h.provider_transaction_id, '') <> nullif(t.provider_transaction_id, '')
             then 'provider_transaction_id ' || ${side}.provider_transaction_id
         end`;

/** Each row against the earlier ones, by their dates and never by arrival. */
const historyFlags = `
  select t.transaction_id, t.holds_from,
         max(h.status) filter (
           where t.status_rank in (10, 20, 30)
             and h.status_rank > t.status_rank
             and h.status_rank in (20, 30, 60)
             and h.status_date < t.status_date
         ) as status_regressed,
         max(h.status) filter (
           where t.status in ('failed', 'canceled') and h.status = 'completed' and h.status_date < t.status_date
         ) as status_reversed,
         max(h.status) filter (
           where t.status not in ('failed', 'canceled')
             and h.status in ('failed', 'canceled')
             and h.status_date < t.status_date
         ) as status_recovered,
         min(${contradiction("t")}) as record_conflict,
         min(${contradiction("h")}) as conflicting
  from tieout.odd_histories as o
  join run_versions as t on t.transaction_id = o.transaction_id
  join tieout.transaction_statuses as h
    on h.account_id = :account_id
   and h.transaction_id = t.transaction_id
   and (h.status_date, h.status_rank, h.record_hash) < (t.status_date, t.status_rank, t.record_hash)
  where o.account_id = :account_id
  group by t.transaction_id, t.holds_from`;

const fromHistory = (
  code: string,
  actual = "t.status",
  level = "null",
) => `${words(code, `f.${code}`, actual, "t.holds_from", level)}
  join run_history as f on f.transaction_id = t.transaction_id and f.holds_from = t.holds_from
  where f.${code} is not null`;

/** The completed ones whose hash others have or had, too: few, and each is held against the others. */
const sharingHash = `
  select t.*, tieout.comparable_hash(t.transaction_hash) as hash_key, tieout.comparable_address(t.wallet_address) as address_key
  from run_versions as t
  where t.status = 'completed'
    and t.transaction_hash <> ''
    and tieout.comparable_hash(t.transaction_hash) in (
      select s.transaction_hash from tieout.shared_hashes as s where s.account_id = :account_id
    )`;

const sharesWithT = `o.hash_key = t.hash_key
     and o.transaction_id <> t.transaction_id
     and o.provider = t.provider
     and o.address_key is not distinct from t.address_key
     and o.asset = t.asset
     and o.crypto_amount = t.crypto_amount`;

/**
 * Sharing a hash is legal; sharing it with the same address, asset and amount is one transfer counted twice. With whom it
 * is shared changes when one of the others comes or goes.
 */
const hashReused = `
  insert into run_found (${columns})
  select t.provider, 'hash_reused', null, t.transaction_id, null, null, null, null, t.transaction_id, shared.others, ${atStake}, t.status_date,
         shared.since, shared.until
  from run_sharing as t
  join run_calendar as c on c.provider = t.provider
  cross join lateral (
    select step.since, step.until, string_agg(o.transaction_id, ', ' order by o.transaction_id) as others
    from (
      select at as since, lead(at, 1, t.holds_to) over (order by at) as until
      from (
        select greatest(edge.at, t.holds_from) as at
        from run_sharing as o
        cross join lateral (values (o.holds_from), (o.holds_to)) as edge (at)
        where ${sharesWithT}
          and edge.at < t.holds_to
        union
        select t.holds_from
      ) as edges
    ) as step
    join run_sharing as o
      on o.holds_from <= step.since
     and o.holds_to > step.since
     and ${sharesWithT}
    where step.since < step.until
    group by step.since, step.until
  ) as shared`;

const reversalExceeds = `
  insert into run_found (${columns})
  select t.provider, 'reversal_exceeds_original', null, t.transaction_id, back.line_id, charge.amount, back.amount, back.currency, null, null,
         abs(back.amount - charge.amount), back.currency, back.owed, back.owed_currency, t.status_date,
         greatest(t.status_date, back.at), 'infinity'
  from (
    select p.transaction_id, l.fiat_currency as currency, max(l.effective_at) as at,
           (array_agg(l.id order by l.effective_at desc, l.id desc))[1] as line_id,
           sum(abs(coalesce(p.part_amount, l.fiat_gross, l.fiat_net, l.net_amount)) * case l.line_type when 'chargeback_reversal' then -1 else 1 end)
             as amount,
           abs(sum(sign(l.net_amount) * ${owedByPair})) as owed,
           min(l.currency) as owed_currency
    from run_pairs as p
    join run_lines as l on l.id = p.line_id
    where p.line_type in ('refund', 'chargeback', 'chargeback_reversal')
    group by p.transaction_id, l.fiat_currency
  ) as back
  join run_transactions as t on t.transaction_id = back.transaction_id
  cross join lateral (
    select coalesce((
      select coalesce(p.part_amount, l.fiat_gross, l.fiat_net)
      from run_pairs as p
      join run_lines as l on l.id = p.line_id
      where p.transaction_id = t.transaction_id
        and p.line_type = 'charge'
        and l.fiat_currency = back.currency
    ), case when t.fiat_currency = back.currency then abs(t.fiat_amount) end) as amount
  ) as charge
  where back.amount > charge.amount + power(10::numeric, -case when t.in_is_fiat then t.in_places else coalesce(t.out_places, 2) end)`;

/** From when to when statements tell of anything; no row where there is none. */
const told = `
  select min(coalesce(lower(told), '-infinity'))::text as told_from, max(coalesce(upper(told), 'infinity'))::text as told_to
  from run_coverage
  where not isempty(told)
  having count(*) > 0`;

const rules = [hashMissing, staleOpen, unknownStatus, reversalExceeds];

const ofHistories = [
  fromHistory("status_regressed"),
  // The money agrees, and only the word does not.
  fromHistory("status_reversed", "t.status", `case when ${cameBack("t")} then 'warning' end`),
  fromHistory("status_recovered"),
  fromHistory("record_conflict", "f.conflicting"),
];

export async function findInTransactions(run: Run): Promise<void> {
  const [between] = await execute<{ told_from: string; told_to: string }>(run, told);
  if (between) await execute(run, missingFromStatement(unsettled), { ...between });
  const isBooked = await isAny(run, "from run_booked");
  if (between && isBooked) await execute(run, missingFromStatement(untilBooked), { ...between });
  for (const rule of rules) await execute(run, rule);
  await findSharedHashes(run);
  await findInHistories(run);
}

async function findSharedHashes(run: Run): Promise<void> {
  if (!(await isAny(run, "from tieout.shared_hashes where account_id = :account_id"))) return;
  await make(run, "run_sharing", sharingHash);
  if (!(await isAny(run, "from run_sharing"))) return;
  await execute(run, "create index on run_sharing (hash_key)");
  await analyze(run, "run_sharing");
  await execute(run, hashReused);
}

async function findInHistories(run: Run): Promise<void> {
  if (!(await isAny(run, "from tieout.odd_histories where account_id = :account_id"))) return;
  await make(run, "run_history", historyFlags);
  if (!(await isAny(run, "from run_history"))) return;
  for (const rule of ofHistories) await execute(run, rule);
}
