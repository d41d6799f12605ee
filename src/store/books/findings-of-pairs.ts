import type { Frame, Part } from "./frame.ts";
import { allowedOn, anythingDiffers, legAgrees, legColumns } from "./legs.ts";

/**
 * The uniform columns of a finding. Every family of findings yields these, so that they can be put together; what a code
 * does not need is null.
 */
export const findingColumns = `code, account_id, provider, transaction_id, line_id, payout_ref, period_from, period_to, expected,
  actual, currency, expected_text, actual_text, value, value_currency, since, dated`;

/** What is wrong between a transaction and the line that settles it. */
export function pairParts(frame: Frame): Part[] {
  return [
    {
      name: "pair",
      materialized: true,
      sql: `
  select t.account_id, t.provider, t.transaction_id, l.id as line_id, m.rule, t.status, t.status_date, t.transaction_type,
         t.in_code, t.in_places, t.in_is_fiat, t.in_network, t.out_code, t.out_places, t.out_is_fiat, t.out_network,
         t.fiat_currency, t.fiat_amount, t.transaction_hash, t.wallet_address, t.extra,${legColumns},
         l.status as line_status, l.provider_status, l.side, l.network, l.effective_at, l.our_reference,
         l.transaction_hash as line_hash, l.wallet_address as line_wallet
  from m
  join l on l.id = m.line_id
  join t on t.account_id = m.account_id and t.transaction_id = m.transaction_id
  where m.role = 'settles'
    and ${isRunOverAll(frame) ? foundToDiffer : anythingDiffers}`,
    },
    { name: "pair_findings", sql: pairFindings(frame) },
  ];
}

function isRunOverAll({ mode, scope }: Frame): boolean {
  return mode === "live" && scope === "all";
}

/** A run over everything has just put each pair side by side. */
const foundToDiffer = `m.line_id in (select p.line_id from pg_temp.reconcile_pairs as p where p.differs)`;

function pairFindings(frame: Frame): string {
  return [
    amountMismatch("in"),
    amountMismatch("out"),
    textFinding("currency_mismatch", {
      expected: "concat_ws(' → ', p.in_code, p.out_code)",
      actual: "concat_ws(' → ', coalesce(p.in_line_code, '?'), coalesce(p.out_line_code, '?'))",
      where: "p.in_line_code <> p.in_code or p.out_line_code <> p.out_code",
    }),
    textFinding("network_mismatch", {
      expected: "case when p.in_is_fiat then p.out_network else p.in_network end",
      actual: "p.network",
      where: `case when p.in_is_fiat then p.out_line_code = p.out_code and p.out_network_differs
                   else p.in_line_code = p.in_code and p.in_network_differs end`,
    }),
    textFinding("direction_mismatch", {
      expected: "p.transaction_type",
      actual: "p.side",
      where: "p.side <> p.transaction_type",
    }),
    textFinding("status_mismatch", {
      expected: "p.status",
      actual: "p.line_status",
      where: statusesDisagree(frame),
    }),
    ...(["refunded", "charged_back"] as const).map((status) =>
      textFinding(status === "refunded" ? "refunded_after_completed" : "charged_back", {
        expected: "p.status",
        actual: "p.line_status",
        where: `p.status = 'completed' and p.line_status = '${status}' and not exists (
      select
      from m as back
      join l on l.id = back.line_id
      where back.account_id = p.account_id
        and back.transaction_id = p.transaction_id
        and l.line_type in ('refund', 'chargeback')
    )`,
      }),
    ),
    textFinding("hash_mismatch", {
      expected: "p.transaction_hash",
      actual: "p.line_hash",
      where: `tieout.comparable_hash(p.line_hash) <> tieout.comparable_hash(p.transaction_hash) and not exists (
      select                         -- a hash that was replaced is no contradiction
      from tieout.transaction_statuses as s
      where s.account_id = p.account_id
        and s.transaction_id = p.transaction_id
        and tieout.comparable_hash(s.transaction_hash) = tieout.comparable_hash(p.line_hash)${knownThen(frame)}
    )`,
    }),
    textFinding("address_mismatch", {
      expected: "p.wallet_address",
      actual: "p.line_wallet",
      where: "tieout.comparable_address(p.line_wallet) <> tieout.comparable_address(p.wallet_address)",
    }),
  ].join("\n  union all");
}

export function knownThen(frame: Frame): string {
  return frame.mode === "live"
    ? ""
    : `
        and s.first_seen_at <= ${frame.knownAt}
        and s.status_date < ${frame.asAt}`;
}

function amountMismatch(leg: "in" | "out"): string {
  const difference = `p.${leg}_difference`;
  return `
  select '${leg}_amount_mismatch', p.account_id, p.provider, p.transaction_id, p.line_id, null::text, null::timestamptz,
         null::timestamptz, p.${leg}_expected, p.${leg}_actual, p.${leg}_code, null::text, null::text,
         abs(p.${leg}_actual - p.${leg}_expected), p.${leg}_code, greatest(p.status_date, p.effective_at), p.status_date
  from pair as p${allowedOn(leg, difference)}
  where p.status = 'completed'
    and not ${legAgrees(leg, difference)}`;
}

function textFinding(
  code: string,
  { expected, actual, where }: Record<"expected" | "actual" | "where", string>,
): string {
  return `
  select '${code}', p.account_id, p.provider, p.transaction_id, p.line_id, null::text, null::timestamptz, null::timestamptz,
         null::numeric, null::numeric, null::text, ${expected}, ${actual}, abs(p.fiat_amount), p.fiat_currency,
         greatest(p.status_date, p.effective_at), p.status_date
  from pair as p
  where ${where}`;
}

/**
 * The table of statuses. A provider that is still at it contradicts us only when its statement is newer than our status;
 * and we are still at it only until we have read a day beyond the line.
 */
function statusesDisagree({ mode, knownAt }: Frame): string {
  const standing =
    mode === "live"
      ? "v.state = 'imported'"
      : `v.imported_at <= ${knownAt} and (v.withdrawn_at is null or v.withdrawn_at > ${knownAt})`;
  const newer = `exists (
          select
          from tieout.statement_rows as w
          join tieout.statements as v on v.id = w.statement_id
          where w.line_id = p.line_id
            and v.generated_at > p.status_date
            and ${standing}
        )`;
  return `case
      when p.line_status = 'unknown' then false
      when p.status = 'completed' then case
        when p.line_status in ('settled', 'delivering', 'refunded', 'charged_back') then false
        when p.line_status in ('failed', 'canceled', 'expired') then true
        else ${newer}
      end
      when p.status in ('failed', 'canceled') then case
        when p.line_status in ('settled', 'delivering') then true
        when p.line_status in ('captured', 'on_hold') then ${newer}
        else false
      end
      else p.line_status in ('settled', 'delivering', 'failed', 'canceled', 'expired', 'refunded', 'charged_back')
        and exists (
          select
          from read_so_far as r
          where r.account_id = p.account_id
            and r.covered @> (p.effective_at + interval '24 hours')
        )
    end`;
}
