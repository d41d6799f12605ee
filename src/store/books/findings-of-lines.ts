import type { Frame, Part } from "./frame.ts";
import { knownThen } from "./findings-of-pairs.ts";

/** What is wrong with a line that settles nothing, or names two transactions, or contradicts itself. */
export function lineParts(frame: Frame): Part[] {
  return [
    {
      name: "loose",
      materialized: true,
      sql: `
  select l.*,
         tieout.comparable_id(l.provider_transaction_id) as id_key,
         tieout.comparable_id(l.our_reference) as reference_key,
         tieout.comparable_hash(l.transaction_hash) as hash_key,
         coalesce(case when l.side = 'sell' then l.fiat_net else l.fiat_gross end, l.fiat_gross, l.fiat_net) as fiat_amount
  from l
  where l.line_type not in ('payout', 'balance', 'fee', 'commission')
    and not exists (select from m where m.line_id = l.id)`,
    },
    { name: "named", materialized: true, sql: namedBy(frame) },
    { name: "first_named", materialized: true, sql: firstNamed },
    { name: "line_findings", sql: lineFindings(frame) },
  ];
}

/** The transactions that a loose line names, pass by pass. A key counts that any status row had by then. */
function namedBy(frame: Frame): string {
  const known = (column: string, key: string) =>
    frame.mode === "live"
      ? ""
      : ` and exists (
      select
      from tieout.transaction_statuses as s
      where s.account_id = x.account_id
        and s.transaction_id = x.transaction_id
        and ${column} = ${key}${knownThen(frame)}
    )`;
  const found = (pass: number, select: string, where: string) => `
  select x.id as line_id, ${pass} as pass, t.transaction_id
  from (
    ${select}
  ) as x
  join t on t.account_id = x.account_id and t.transaction_id = x.transaction_id and t.provider = x.provider
  where ${notParted(frame)}${where}`;
  const naming = (key: string, transactions: string) => `
    select loose.id, loose.account_id, loose.provider, loose.line_type, loose.asset, loose.crypto_amount,
           loose.wallet_address, named.transaction_id, loose.line_key, loose.occurrence, ${key} as key
    from loose
    cross join lateral (${transactions}) as named`;
  const byKey = (kind: string, key: string) =>
    naming(key, `select distinct transaction_id from tieout.named(loose.account_id, '${kind}', ${key})`);
  return [
    found(
      1,
      byKey("provider_id", "loose.id_key"),
      known("tieout.comparable_id(s.provider_transaction_id)", "x.key"),
    ),
    found(
      2,
      `${naming(
        "loose.reference_key",
        "select held.transaction_id from tieout.transactions as held where held.account_id = loose.account_id and held.transaction_id = loose.reference_key",
      )}
    union all${byKey("reference", "loose.reference_key")}`,
      known(
        "x.key",
        "any (array[s.transaction_id, tieout.comparable_id(s.transaction_id), tieout.comparable_id(s.extra ->> 'partnerContext')])",
      ),
    ),
    found(
      3,
      byKey("hash", "loose.hash_key"),
      `
    and x.line_type = 'charge'
    and ${sameTransfer("x", "t")}
    and not exists (
      select
      from m
      where m.account_id = t.account_id
        and m.transaction_id = t.transaction_id
        and m.role = 'settles'
    )${known("tieout.comparable_hash(s.transaction_hash)", "x.key")}`,
    ),
  ].join("\n  union");
}

/** Beyond the hash itself: asset, address and amount. */
function sameTransfer(line: string, transaction: string): string {
  const leg = (name: "in" | "out") =>
    `${line}.asset = ${transaction}.${name}_code and abs(${line}.crypto_amount - ${transaction}.${name}_amount) <= power(10::numeric, -coalesce(${transaction}.${name}_places, 8))`;
  return `(tieout.comparable_address(${line}.wallet_address) <> tieout.comparable_address(${transaction}.wallet_address)) is not true
    and case when ${transaction}.in_is_fiat then ${leg("out")} else ${leg("in")} end`;
}

function notParted({ mode, knownAt }: Frame): string {
  return `not exists (
      select
      from tieout.matches as barred
      join tieout.statement_lines as parted on parted.id = barred.line_id
      where barred.barred${mode === "live" ? "" : `\n        and barred.ended_at <= ${knownAt}`}
        and barred.account_id = x.account_id
        and barred.transaction_id = x.transaction_id
        and parted.line_key = x.line_key
        and parted.occurrence = x.occurrence
        and parted.provider = x.provider
    )`;
}

/** The first pass that finds a line anything decides; what it finds is one transaction or several. */
const firstNamed = `
  select n.line_id,
         n.pass,
         min(n.transaction_id) as transaction_id,
         string_agg(n.transaction_id, ', ' order by n.transaction_id) as transaction_ids,
         count(*) as candidates,
         bool_or(n.pass = 3 and exists (
           select from named as other where other.pass = 3 and other.transaction_id = n.transaction_id and other.line_id <> n.line_id
         )) as contested
  from named as n
  where n.pass = (select min(first.pass) from named as first where first.line_id = n.line_id)
  group by n.line_id, n.pass`;

function lineFindings(frame: Frame): string {
  const inCoverage = `exists (
      select from read_so_far as r where r.account_id = l.account_id and r.covered @> l.effective_at
    )`;
  const line = (
    code: string,
    more: Partial<
      Record<
        | "transaction"
        | "expected"
        | "actual"
        | "currency"
        | "expectedText"
        | "actualText"
        | "value"
        | "valueCurrency",
        string
      >
    >,
  ) => `
  select '${code}', l.account_id, l.provider, ${more.transaction ?? "null::text"}, l.id, l.payout_ref, null::timestamptz, null::timestamptz,
         ${more.expected ?? "null::numeric"}, ${more.actual ?? "null::numeric"}, ${more.currency ?? "null::text"},
         ${more.expectedText ?? "null::text"}, ${more.actualText ?? "null::text"},
         ${more.value ?? "abs(l.fiat_amount)"}, ${more.valueCurrency ?? "l.fiat_currency"}, l.effective_at, l.effective_at`;
  const fiat = {
    expected: "case when l.fiat_amount is not null then 0 end",
    actual: "l.fiat_amount",
    currency: "l.fiat_currency",
  };
  const net = {
    expected: "0",
    actual: "l.net_amount",
    currency: "l.net_currency",
    value: "abs(l.net_amount)",
    valueCurrency: "l.net_currency",
  };
  return [
    `${line("missing_from_records", fiat)}
  from loose as l
  where l.line_type = 'charge'
    and l.moved_money
    and not exists (select from first_named as n where n.line_id = l.id)
    and ${inCoverage}`,
    `${line("ambiguous", { expectedText: "n.transaction_ids", actualText: "coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash)" })}
  from loose as l
  join first_named as n on n.line_id = l.id
  where l.line_type = 'charge'
    and (n.candidates > 1 or n.contested)`,
    `${line("duplicate_settlement", { ...fiat, transaction: "n.transaction_id" })}
  from loose as l
  join first_named as n on n.line_id = l.id
  where l.line_type = 'charge'
    and l.moved_money
    and n.candidates = 1
    and n.pass < 3
    and exists (
      select
      from m
      where m.account_id = l.account_id
        and m.transaction_id = n.transaction_id
        and m.role = 'settles'
    )`,
    `${line("unlinked_reversal", net)}
  from loose as l
  where l.line_type in ('refund', 'chargeback', 'chargeback_reversal')
    and ${inCoverage}`,
    `${line("unexplained_movement", net)}
  from loose as l
  where l.line_type in ('adjustment', 'reserve')
    and l.payout_ref is not null
    and l.category is null`,
    referenceConflicts(frame),
    ownFigures,
    `
  select 'unknown_status', l.account_id, l.provider, m.transaction_id, l.id, null::text, null::timestamptz, null::timestamptz,
         null::numeric, null::numeric, null::text, 'a status of the provider''s map', coalesce(l.provider_status, ''),
         abs(coalesce(l.fiat_gross, l.fiat_net)), l.fiat_currency, l.effective_at, l.effective_at
  from l
  left join m on m.line_id = l.id
  where l.line_type = 'charge'
    and l.status = 'unknown'`,
  ].join("\n  union all");
}

/** The id has decided; reference or hash name another transaction of the provider. */
function referenceConflicts(frame: Frame): string {
  const known =
    frame.mode === "live"
      ? ""
      : ` and exists (
        select
        from tieout.transaction_statuses as s
        where s.account_id = other.account_id
          and s.transaction_id = other.transaction_id${knownThen(frame)}
      )`;
  return `
  select 'reference_conflict', p.account_id, p.provider, p.transaction_id, p.line_id, null::text, null::timestamptz,
         null::timestamptz, null::numeric, null::numeric, null::text, p.transaction_id, min(other.transaction_id),
         abs(p.fiat_amount), p.fiat_currency, greatest(p.status_date, p.effective_at), p.status_date
  from (
    select p.*, tieout.comparable_id(p.our_reference) as reference_key, tieout.comparable_hash(p.line_hash) as hash_key,
           case when p.in_is_fiat then p.out_line_code else p.in_line_code end as asset,
           case when p.in_is_fiat then p.out_actual else p.in_actual end as crypto_amount
    from pair as p
    where p.rule = 'provider_id'
  ) as p
  join lateral (
    select held.account_id, held.transaction_id
    from tieout.transactions as held
    where held.account_id = p.account_id
      and held.transaction_id = p.reference_key
      and lower(coalesce(held.provider, '')) = p.provider
    union
    select held.account_id, held.transaction_id
    from tieout.named(p.account_id, 'reference', p.reference_key) as named
    join tieout.transactions as held on held.account_id = p.account_id and held.transaction_id = named.transaction_id
    where held.extra ->> 'partnerContext' = p.reference_key
      and lower(coalesce(held.provider, '')) = p.provider
    union
    select held.account_id, held.transaction_id
    from tieout.named(p.account_id, 'hash', p.hash_key) as named
    join tieout.transactions as held on held.account_id = p.account_id and held.transaction_id = named.transaction_id
    join tieout.currency_words as coin on coin.word in (held.source_currency, held.target_currency) and not coin.is_fiat
    where held.transaction_hash in (p.hash_key, '0x' || p.hash_key)
      and lower(coalesce(held.provider, '')) = p.provider
      and coin.code = p.asset
      and abs(p.crypto_amount - case coin.word when held.target_currency then held.out_amount else held.in_amount end)
        <= power(10::numeric, -coin.places)
      and (tieout.comparable_address(p.line_wallet) <> tieout.comparable_address(held.wallet_address)) is not true
      and tieout.comparable_hash(p.line_hash) <> tieout.comparable_hash(p.transaction_hash)
  ) as other on other.transaction_id <> p.transaction_id${known}
  group by p.account_id, p.provider, p.transaction_id, p.line_id, p.fiat_amount, p.fiat_currency, p.status_date, p.effective_at`;
}

/** Gross less fees is net; net at the printed rate is the crypto amount, as exactly as the rate was printed. */
const ownFigures = `
  select f.code, f.account_id, f.provider, m.transaction_id, f.id, null::text, null::timestamptz, null::timestamptz,
         f.expected, f.actual, f.currency, null::text, null::text, abs(f.actual - f.expected), f.currency, f.effective_at, f.effective_at
  from (
    select 'line_arithmetic_mismatch' as code, l.id, l.account_id, l.provider, l.effective_at,
           l.fiat_gross - l.fee_total as expected, l.fiat_net as actual, l.fiat_currency as currency,
           coalesce(unit.size, 0.01) as allowed
    from l
    left join lateral (
      select power(10::numeric, -w.places) as size from tieout.currency_words as w where w.word = lower(l.fiat_currency)
    ) as unit on true
    where l.line_type = 'charge'
      and l.fee_currency = l.fiat_currency
      and l.fiat_gross - l.fee_total <> l.fiat_net
    union all
    select 'rate_variance', l.id, l.account_id, l.provider, l.effective_at,
           case l.rate_basis when 'crypto_per_fiat' then l.fiat_net * l.rate else l.crypto_amount * l.rate end,
           case l.rate_basis when 'crypto_per_fiat' then l.crypto_amount else l.fiat_net end,
           case l.rate_basis when 'crypto_per_fiat' then l.asset else l.fiat_currency end,
           case l.rate_basis when 'crypto_per_fiat' then l.fiat_net * power(10::numeric, -scale(l.rate)) + 0.0005 * l.crypto_amount + 0.00000001
                             else l.crypto_amount * power(10::numeric, -scale(l.rate)) + 0.0005 * l.fiat_net + 0.01 end
    from l
    where l.line_type = 'charge'
      and l.rate_basis is not null
      and l.rate <> 0
  ) as f
  left join m on m.line_id = f.id and m.role = 'settles'
  where abs(f.actual - f.expected) > f.allowed`;
