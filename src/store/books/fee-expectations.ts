/**
 * What an order should have cost and earned by the fee schedule of its day, beside what its line states. Statements of a run
 * and of the report share this text, so that they cannot differ.
 */

/** The terms that were known at a time, each from when to when, and from which amount up to which. */
export function feeTerms(accounts: string, knownAt: string): string {
  return `
    select s.account_id, s.provider, s.version, s.valid_from, s.valid_to, f.kind, f.side, f.payment_method, f.currency, f.over,
           lead(f.over) over (partition by s.id, f.kind, f.side, f.payment_method, f.currency order by f.over) as up_to,
           f.flat, f.percent, f.minimum, f.maximum, f.capped_by_fee,
           (f.payment_method is not null)::int * 4 + (f.currency is not null)::int * 2 + (f.side is not null)::int as weight
    from (
      select latest.*, lead(latest.valid_from, 1, 'infinity') over (
               partition by latest.account_id, latest.provider order by latest.valid_from
             ) as valid_to
      from (
        select distinct on (s.account_id, s.provider, s.valid_from) s.id, s.account_id, s.provider, s.version, s.valid_from
        from tieout.fee_schedules as s
        where s.account_id = any (${accounts})
          and s.imported_at <= ${knownAt}
        order by s.account_id, s.provider, s.valid_from, s.version desc
      ) as latest
    ) as s
    join tieout.fee_terms as f on f.schedule_id = s.id`;
}

/**
 * `charges` holds account_id, provider, transaction_id, line_id, effective_at, side, payment_method, currency, gross,
 * net_amount, net_currency, fee_total, fee_processing, fee_network, fee_partner, fee_currency, owes_share and places. Which rule is
 * the most specific is decided once for each kind of order, and not once for each order.
 */
export function expectedByTerms(charges: string, terms: string): string {
  return `
    select c.account_id, c.provider, c.transaction_id, c.line_id, c.effective_at, c.side, c.payment_method, c.currency, c.gross,
           c.places, r.kind, r.version, trim_scale(told.expected) as expected, trim_scale(told.actual) as actual
    from ${charges} as c
    join (
      select asked.side as of_side, asked.payment_method as of_method, asked.currency as of_currency, t.*,
             min(t.over) over (                     -- from where a more specific rule fits
               partition by asked.account_id, asked.provider, asked.side, asked.payment_method, asked.currency, t.kind, t.valid_from
               order by t.weight desc
               groups between unbounded preceding and 1 preceding
             ) as given_way_from
      from (select distinct account_id, provider, side, payment_method, currency from ${charges}) as asked
      join ${terms} as t
        on t.account_id = asked.account_id
       and t.provider = asked.provider
       and (t.side is null or t.side = asked.side)
       and (t.payment_method is null or t.payment_method = asked.payment_method)
       and (t.currency is null or t.currency = asked.currency)
    ) as r
      on r.account_id = c.account_id
     and r.provider = c.provider
     and r.of_side is not distinct from c.side
     and r.of_method is not distinct from c.payment_method
     and r.of_currency = c.currency
     and c.effective_at >= r.valid_from
     and c.effective_at < r.valid_to
     and c.gross >= r.over
     and (r.up_to is null or c.gross < r.up_to)
     and (r.given_way_from is null or c.gross < r.given_way_from)
    cross join lateral (
      select case when c.fee_currency = c.currency then ${exceptNetwork} end as processing,
             round(least(greatest(r.flat + c.gross * r.percent / 100, r.minimum), r.maximum), c.places) as agreed
    ) as amounts
    cross join lateral (
      select case when r.kind = 'share' and r.capped_by_fee then least(amounts.agreed, amounts.processing) else amounts.agreed end,
             case r.kind
               when 'share' then case when c.owes_share and c.net_currency = c.currency
                                       and (not r.capped_by_fee or amounts.processing is not null) then c.net_amount end
               when 'processing_fee' then amounts.processing
               else case when c.fee_currency = c.currency then c.fee_total end
             end
    ) as told (expected, actual)
    where told.actual is not null`;
}

/**
 * The fees without the network's. Where the line states none for the network, they are all of its total if the others add up to it;
 * otherwise the total may contain a network fee of unknown size.
 */
const exceptNetwork = `
  case when c.fee_network is not null then c.fee_total - c.fee_network
       when c.fee_total in (c.fee_processing, c.fee_processing + c.fee_partner) then c.fee_total
  end`;
