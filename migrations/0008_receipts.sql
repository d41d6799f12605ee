-- Receipts: what has arrived at banks and on chain, which payouts it settles, what is booked of it and of all that is owed,
-- and what people read of it.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rules
-- ---------------------------------------------------------------------------------------------------------------------

create trigger refuse_change before update or delete on tieout.receipt_file_bytes
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.receipt_file_bytes
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.receipt_rows
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.receipt_rows
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.receipt_lines
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.receipt_lines
  for each statement execute function tieout.refuse_change();

create trigger refuse_delete before delete on tieout.receipt_files
  for each row execute function tieout.refuse_change();

create trigger refuse_delete before delete on tieout.receipt_retirements
  for each row execute function tieout.refuse_change();

create trigger refuse_delete before delete on tieout.receipt_matches
  for each row execute function tieout.refuse_change();

-- As `comparableName` in src/core/receipt-line.ts: letters and digits only, in capitals, at least four of them.
create function tieout.comparable_name(name text) returns text
language sql immutable parallel safe as $$
  select case when length(folded) >= 4 and folded not in ('NOTPROVIDED', 'NONREF', 'NONE', 'NULL', 'UNKNOWN') then folded end
  from (
    select upper(regexp_replace(regexp_replace(name, '^0[xX](?=[0-9a-fA-F]{40,}$)', ''), '[^A-Za-z0-9]', '', 'g'))
  ) as compared (folded)
$$;

comment on function tieout.comparable_name(text) is 'A reference or hash as banks'' files are searched for it; null where too little is left to name anything.';

create function tieout.receipt_lines_at(accounts integer[], known_at timestamptz)
returns setof tieout.receipt_lines
language sql stable parallel safe as $$
  select l.*
  from tieout.receipt_lines as l
  where l.account_id = any (receipt_lines_at.accounts)
    and l.imported_at <= receipt_lines_at.known_at
    and not exists (
      select
      from tieout.receipt_retirements as r
      where r.line_id = l.id
        and r.retired_at <= receipt_lines_at.known_at
        and (r.restored_at is null or r.restored_at > receipt_lines_at.known_at)
    )
$$;

comment on function tieout.receipt_lines_at(integer[], timestamptz) is 'The versions of bank lines that counted at a time.';

-- What a bank line had settled as at an instant, by what was known at another.
create function tieout.receipt_settled(line_id bigint, as_at timestamptz, known_at timestamptz)
returns table (settled numeric, bank_fee numeric, payout_refs text, providers text, rules text)
language sql stable parallel safe as $$
  select trim_scale(coalesce(sum(m.amount), 0)), trim_scale(coalesce(sum(m.bank_fee), 0)),
         string_agg(distinct p.payout_ref, ' '), string_agg(distinct p.provider, ' '), string_agg(distinct m.rule, ' ')
  from tieout.receipt_matches as m
  join tieout.payouts as p on p.id = m.payout_id
  where m.receipt_line_id = receipt_settled.line_id
    and m.effective_at < receipt_settled.as_at
    and m.matched_at <= receipt_settled.known_at
    and (m.ended_at is null or m.ended_at > receipt_settled.known_at)
$$;

comment on function tieout.receipt_settled(bigint, timestamptz, timestamptz) is 'Which payouts a bank line had settled as at an instant, and how much of them.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Journal
-- ---------------------------------------------------------------------------------------------------------------------

-- What is booked where: each event, the accounts of the chart it touches, which of its amounts, and on which side a positive
-- one stands. The parts of an event add up to nothing, whatever the amounts. A new kind of event is a few rows here and a
-- branch of journal_events.
create function tieout.journal_rules() returns table (event text, chart_account text, part text, sign integer, place integer)
language sql immutable parallel safe as $$
  values ('share_earned', 'receivable', 'amount', 1, 1),
         ('share_earned', 'commission_income', 'amount', -1, 2),
         ('sale', 'receivable', 'amount', 1, 1),
         ('sale', 'provider_fees', 'fee', 1, 2),
         ('sale', 'sales', 'gross', -1, 3),
         ('provider_fee', 'provider_fees', 'amount', -1, 1),
         ('provider_fee', 'receivable', 'amount', 1, 2),
         ('refund', 'refunds', 'amount', -1, 1),
         ('refund', 'receivable', 'amount', 1, 2),
         ('chargeback', 'chargebacks', 'amount', -1, 1),
         ('chargeback', 'receivable', 'amount', 1, 2),
         ('chargeback_reversal', 'receivable', 'amount', 1, 1),
         ('chargeback_reversal', 'chargebacks', 'amount', -1, 2),
         ('adjustment', 'receivable', 'amount', 1, 1),
         ('adjustment', 'adjustments', 'amount', -1, 2),
         ('reserve', 'reserves', 'amount', -1, 1),
         ('reserve', 'receivable', 'amount', 1, 2),
         ('payout_declared', 'payouts_in_transit', 'amount', -1, 1),
         ('payout_declared', 'receivable', 'amount', 1, 2),
         ('conversion', 'receivable', 'amount', 1, 1),
         ('conversion', 'currency_exchange', 'amount', -1, 2),
         ('write_off', 'write_offs', 'amount', -1, 1),
         ('write_off', 'receivable', 'amount', 1, 2),
         ('payout_received', 'bank', 'amount', 1, 1),
         ('payout_received', 'payouts_in_transit', 'amount', -1, 4),
         ('bank_fee', 'bank_fees', 'amount', 1, 2),
         ('bank_fee', 'payouts_in_transit', 'amount', -1, 4),
         ('payout_difference', 'payout_differences', 'amount', 1, 3),
         ('payout_difference', 'payouts_in_transit', 'amount', -1, 4),
         ('receipt_unassigned', 'bank', 'amount', 1, 1),
         ('receipt_unassigned', 'unassigned_receipts', 'amount', -1, 2),
         ('receipt_assigned', 'unassigned_receipts', 'amount', 1, 1),
         ('receipt_assigned', 'payouts_in_transit', 'amount', -1, 4),
         ('receipt_exchanged', 'bank', 'amount', 1, 1),
         ('receipt_exchanged', 'currency_exchange', 'amount', -1, 2),
         ('assigned_exchanged', 'unassigned_receipts', 'amount', 1, 1),
         ('assigned_exchanged', 'currency_exchange', 'amount', -1, 2),
         ('payout_exchanged', 'currency_exchange', 'amount', 1, 1),
         ('payout_exchanged', 'payouts_in_transit', 'amount', -1, 4),
         ('difference_written_off', 'write_offs', 'amount', 1, 1),
         ('difference_written_off', 'payout_differences', 'amount', -1, 2),
         ('payout_written_off', 'write_offs', 'amount', 1, 1),
         ('payout_written_off', 'payouts_in_transit', 'amount', -1, 2),
         ('receipt_written_off', 'unassigned_receipts', 'amount', 1, 1),
         ('receipt_written_off', 'write_offs', 'amount', -1, 2)
$$;

comment on function tieout.journal_rules() is 'What is booked where: the accounts of the chart that each kind of event touches, with which of its amounts and on which side.';

-- What has come in at the bank, and which payouts it clears. A bank line is booked on its day: as money of the payouts that
-- it was matched with from then on, and what is left of it as unassigned; whoever assigns it later moves it from there. The
-- first money of a declared payout clears all of it, so that nothing but payouts that nobody has seen money of is in transit:
-- what is missing, or too much, stands as a difference until more comes. A payout that was never declared was never put in
-- transit; its money waits there with the other sign. What goes out is booked only where it is a payout's, or takes an
-- earlier booking back: the rest is the account holder's own business.
create function tieout.receipt_movements(accounts integer[], known_at timestamptz)
returns table (
  account_id integer, provider text, currency text, at timestamptz, event text, amount numeric, entry text,
  declared_by_line_id bigint, payout_ref text, decision_id bigint, receipt_line_id bigint
)
language sql stable parallel safe as $$
  with lines as materialized (
    select l.id, l.account_id, l.currency, l.effective_at, l.direction, l.is_reversal,
           case l.direction when 'credit' then l.amount else -l.amount end as amount
    from tieout.receipt_lines_at(receipt_movements.accounts, receipt_movements.known_at) as l
  ), settling as materialized (
    select m.id, m.account_id, p.provider, p.payout_ref, p.currency, p.declared_by_line_id, m.payout_id, m.receipt_line_id, m.amount,
           m.bank_fee, m.effective_at as at, m.effective_at <= l.effective_at as is_direct, p.net_declared,
           lower(l.currency) <> lower(p.currency) as is_exchanged, l.currency as line_currency, l.amount as line_amount,
           row_number() over (partition by m.payout_id order by m.effective_at, m.id) = 1 as is_first,
           row_number() over of_line = 1 as is_last_of_line,
           sum(m.amount) over (partition by m.receipt_line_id) as line_settled
    from tieout.receipt_matches as m
    join lines as l on l.id = m.receipt_line_id
    join tieout.payouts_at(receipt_movements.accounts, receipt_movements.known_at) as p on p.id = m.payout_id
    where m.account_id = any (receipt_movements.accounts)
      and m.matched_at <= receipt_movements.known_at
      and (m.ended_at is null or m.ended_at > receipt_movements.known_at)
    window of_line as (partition by m.receipt_line_id order by m.effective_at desc, m.id desc)
  ), shared as materialized (             -- what of the line each match takes, in the line's own currency
    select s.*,
           case
             when not s.is_exchanged then s.amount
             when s.is_last_of_line then s.line_amount - coalesce(sum(part.amount) over (
                 partition by s.receipt_line_id order by s.at, s.id rows between unbounded preceding and 1 preceding), 0)
             else part.amount
           end as taken
    from settling as s
    cross join lateral (
      select case when s.is_exchanged then round(s.line_amount * s.amount / nullif(s.line_settled, 0), 2) else s.amount end
    ) as part (amount)
  ), written_off as (
    select f.account_id, f.provider, f.currency, f.code, f.payout_ref, f.receipt_line_id, d.id as decision_id,
           case f.code when 'receipt_without_payout' then f.actual else f.expected - f.actual end as amount,
           greatest(d.booked_at, f.holds_from) as at, f.holds_to
    from tieout.findings as f
    join tieout.decisions as d
      on d.fingerprint = f.fingerprint
     and d.facts_hash = f.facts_hash
     and d.decision = 'written_off'
     and d.known_from <= receipt_movements.known_at
     and (d.known_to is null or d.known_to > receipt_movements.known_at)
    where f.account_id = any (receipt_movements.accounts)
      and f.code in ('payout_short', 'payout_over', 'payout_not_received', 'receipt_without_payout')
      and f.known_from <= receipt_movements.known_at
      and (f.known_to is null or f.known_to > receipt_movements.known_at)
      and f.holds_to > d.booked_at
  ), left_out as (                        -- of a line, what no match took from its day on
    select l.id, l.account_id, l.currency, l.effective_at, l.amount - coalesce(sum(s.taken), 0) as amount
    from lines as l
    left join shared as s on s.receipt_line_id = l.id and s.is_direct
    where l.direction = 'credit' or l.is_reversal
    group by l.id, l.account_id, l.currency, l.effective_at, l.amount
  )
  select account_id, '', currency, effective_at, 'receipt_unassigned', amount, 'U' || id, null::bigint, null, null::bigint, id
  from left_out
  where amount <> 0
  union all
  select s.account_id, s.provider, booked.currency, s.at, booked.event, booked.amount, 'B' || s.id, s.declared_by_line_id,
         s.payout_ref, null, s.receipt_line_id
  from shared as s
  cross join lateral (
    values (case when s.is_exchanged then 'payout_exchanged' when s.is_direct then 'payout_received' else 'receipt_assigned' end,
            s.amount, s.currency),
           (case when s.is_direct then 'receipt_exchanged' else 'assigned_exchanged' end,
            case when s.is_exchanged then s.taken end, s.line_currency),
           ('bank_fee', s.bank_fee, s.currency),
           ('payout_difference',
            case
              when s.net_declared is null then 0
              when s.is_first then s.net_declared - s.amount - s.bank_fee
              else -s.amount - s.bank_fee
            end, s.currency)
  ) as booked (event, amount, currency)
  where booked.amount <> 0
  union all
  select w.account_id, w.provider, w.currency, booked.at,
         case w.code
           when 'payout_not_received' then 'payout_written_off'
           when 'receipt_without_payout' then 'receipt_written_off'
           else 'difference_written_off'
         end, booked.amount, booked.entry || w.decision_id, null, w.payout_ref, w.decision_id, w.receipt_line_id
  from written_off as w
  cross join lateral (
    values (w.at, w.amount, 'W'), (w.holds_to, -w.amount, 'R')          -- what came after all undoes it
  ) as booked (at, amount, entry)
  where booked.at < 'infinity'
$$;

comment on function tieout.receipt_movements(integer[], timestamptz) is 'What has come in at banks and on chain, as it is booked, by what was known at a time: one row per event.';

-- Everything that is booked, one row per event and currency. `claim` is what of it changes what a provider owes.
create function tieout.journal_events(accounts integer[], known_at timestamptz)
returns table (
  account_id integer, provider text, currency text, at timestamptz, event text, amount numeric, gross numeric, claim numeric,
  entry text, line_id bigint, payout_ref text, decision_id bigint, receipt_line_id bigint
)
language sql stable parallel safe as $$
  select m.account_id, m.provider, m.currency, m.at, m.event, m.amount, m.gross, m.amount, m.entry, m.line_id, m.payout_ref,
         m.decision_id, null::bigint
  from tieout.claim_movements(journal_events.accounts, journal_events.known_at) as m
  union all
  select r.account_id, r.provider, r.currency, r.at, r.event, r.amount, r.amount, 0, r.entry, r.declared_by_line_id, r.payout_ref,
         r.decision_id, r.receipt_line_id
  from tieout.receipt_movements(journal_events.accounts, journal_events.known_at) as r
$$;

comment on function tieout.journal_events(integer[], timestamptz) is 'Everything that is booked, by what was known at a time: one row per event and currency.';

create function tieout.journal_postings(accounts integer[], known_at timestamptz)
returns table (
  account_id integer, provider text, currency text, at timestamptz, event text, entry text, chart_account text, place integer,
  amount numeric, line_id bigint, payout_ref text, decision_id bigint, receipt_line_id bigint
)
language sql stable parallel safe as $$
  select e.account_id, e.provider, e.currency, e.at, e.event, e.entry, r.chart_account, r.place, posted.amount, e.line_id,
         e.payout_ref, e.decision_id, e.receipt_line_id
  from tieout.journal_events(journal_postings.accounts, journal_postings.known_at) as e
  join tieout.journal_rules() as r on r.event = e.event
  cross join lateral (
    select r.sign * case r.part when 'amount' then e.amount when 'gross' then e.gross else e.gross - e.amount end
  ) as posted (amount)
  where posted.amount <> 0
$$;

comment on function tieout.journal_postings(integer[], timestamptz) is 'The lines of the journal, by what was known at a time: debits are positive, credits negative.';

-- For the checklist of a close: no texts, no names, one row per account and currency. Events of one kind with the same signs
-- are added up before they are posted, because all of them stand on the same side of the same accounts. An event whose
-- rules do not add up to nothing is unbalanced whatever its amounts are, and so is one that has no rules.
create function tieout.journal_balance(accounts integer[], from_at timestamptz, to_at timestamptz, known_at timestamptz)
returns table (
  account_id integer, currency text, events bigint, unbalanced_events bigint, debit numeric, credit numeric,
  receivable_posted numeric, receivable_moved numeric
)
language sql stable parallel safe as $$
  with added as materialized (
    select e.account_id, e.currency, e.event, count(*) as events, sum(e.amount) as amount, sum(e.gross) as gross,
           sum(e.claim) as claim
    from tieout.journal_events(journal_balance.accounts, journal_balance.known_at) as e
    where e.at >= journal_balance.from_at
      and e.at < journal_balance.to_at
    group by e.account_id, e.currency, e.event, sign(e.amount), sign(e.gross), sign(e.gross - e.amount)
  ), balanced as (
    select r.event
    from tieout.journal_rules() as r
    group by r.event
    having coalesce(sum(r.sign) filter (where r.part = 'amount'), 0) = coalesce(sum(r.sign) filter (where r.part = 'fee'), 0)
       and coalesce(sum(r.sign) filter (where r.part = 'gross'), 0) = -coalesce(sum(r.sign) filter (where r.part = 'fee'), 0)
  ), posted as (
    select a.account_id, a.currency,
           coalesce(sum(p.amount) filter (where p.amount > 0), 0) as debit,
           coalesce(-sum(p.amount) filter (where p.amount < 0), 0) as credit,
           coalesce(sum(p.amount) filter (where r.chart_account = 'receivable'), 0) as receivable
    from added as a
    join tieout.journal_rules() as r on r.event = a.event
    cross join lateral (
      select r.sign * case r.part when 'amount' then a.amount when 'gross' then a.gross else a.gross - a.amount end
    ) as p (amount)
    group by a.account_id, a.currency
  ), counted as (
    select a.account_id, a.currency, sum(a.events)::bigint as events,
           coalesce(sum(a.events) filter (where b.event is null), 0)::bigint as unbalanced_events,
           sum(a.claim) as claim
    from added as a
    left join balanced as b on b.event = a.event
    group by a.account_id, a.currency
  )
  select c.account_id, c.currency, c.events, c.unbalanced_events, trim_scale(coalesce(p.debit, 0)),
         trim_scale(coalesce(p.credit, 0)), trim_scale(coalesce(p.receivable, 0)), trim_scale(c.claim)
  from counted as c
  left join posted as p on p.account_id = c.account_id and p.currency is not distinct from c.currency
$$;

comment on function tieout.journal_balance(integer[], timestamptz, timestamptz, timestamptz) is 'Whether the journal of a span of time balances, per account and currency: its debits and credits, events that do not balance, and what it books to the receivable beside what the claims moved by.';

-- ---------------------------------------------------------------------------------------------------------------------
-- What people read
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.receipts as
select a.name as account,
       l.id as receipt_line_id,
       f.id as receipt_file_id,
       f.file_name,
       w.line_no,
       -- On chain the account and the other side are wallets.
       case when l.hash is null or (select tieout.reads_wallets()) then l.bank_account else tieout.masked_wallet(l.bank_account) end as bank_account,
       l.value_date,
       l.booking_date,
       l.effective_at,
       l.amount,
       l.currency,
       l.direction,
       l.is_reversal,
       l.reference,
       l.end_to_end_id,
       l.bank_reference,
       l.hash,
       case when (select tieout.reads_wallets()) then l.remittance else tieout.masked_text(l.remittance) end as remittance,
       case when l.hash is null or (select tieout.reads_wallets()) then l.counterparty else tieout.masked_wallet(l.counterparty) end as counterparty,
       l.charges,
       l.original_amount,
       l.original_currency,
       m.payout_refs,
       m.providers,
       coalesce(m.settled, 0) as settled_amount,
       coalesce(m.bank_fee, 0) as bank_fee,
       case
         when l.direction = 'credit' and m.is_converted is not true then trim_scale(l.amount - coalesce(m.settled, 0))
         else 0
       end as unmatched_amount,
       l.imported_at
from tieout.receipt_lines as l
join tieout.accounts as a on a.id = l.account_id
join tieout.receipt_files as f on f.id = l.file_id
join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
left join (
  select m.receipt_line_id,
         trim_scale(sum(m.amount)) as settled,
         trim_scale(sum(m.bank_fee)) as bank_fee,
         string_agg(distinct p.payout_ref, ' ') as payout_refs,
         string_agg(distinct p.provider, ' ') as providers,
         bool_or(lower(p.currency) <> lower(line.currency)) as is_converted
  from tieout.receipt_matches as m
  join tieout.payouts as p on p.id = m.payout_id
  join tieout.receipt_lines as line on line.id = m.receipt_line_id
  where m.state = 'active'
    and m.effective_at < now()
  group by m.receipt_line_id
) as m on m.receipt_line_id = l.id
where not exists (
  select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null
)
  and ((select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]));

comment on view reporting.receipts is 'Bank lines and transfers on chain that count, which payouts they settle, and what is left of them. Grain: one row per line.';

comment on column reporting.receipts.account is 'Name of the account.';
comment on column reporting.receipts.receipt_line_id is 'Our number for the line.';
comment on column reporting.receipts.receipt_file_id is 'The file that brought it.';
comment on column reporting.receipts.file_name is 'Name of that file.';
comment on column reporting.receipts.line_no is 'The physical line on which it begins there.';
comment on column reporting.receipts.bank_account is 'The bank account or wallet.';
comment on column reporting.receipts.value_date is 'From when the bank counts the money.';
comment on column reporting.receipts.booking_date is 'When the bank booked it.';
comment on column reporting.receipts.effective_at is 'The time or day of the booking, else the value date.';
comment on column reporting.receipts.amount is 'Never negative: the direction says which way.';
comment on column reporting.receipts.currency is 'Currency or, on chain, asset of the amount.';
comment on column reporting.receipts.direction is 'credit (came in) or debit (went out).';
comment on column reporting.receipts.is_reversal is 'Whether it takes an earlier booking back.';
comment on column reporting.receipts.reference is 'The payer''s reference.';
comment on column reporting.receipts.end_to_end_id is 'The end-to-end id of the payment.';
comment on column reporting.receipts.bank_reference is 'The bank''s own number of the booking.';
comment on column reporting.receipts.hash is 'Of a transfer on chain, its hash.';
comment on column reporting.receipts.remittance is 'The text of the payment.';
comment on column reporting.receipts.counterparty is 'Who paid, or was paid.';
comment on column reporting.receipts.charges is 'Charges of the bank that are stated with the line.';
comment on column reporting.receipts.original_amount is 'What was sent, where the bank has converted it.';
comment on column reporting.receipts.original_currency is 'Currency of original_amount.';
comment on column reporting.receipts.payout_refs is 'References of the payouts that it settles.';
comment on column reporting.receipts.providers is 'Their providers.';
comment on column reporting.receipts.settled_amount is 'How much of it settles payouts, in their currency.';
comment on column reporting.receipts.bank_fee is 'What the bank kept of these payouts.';
comment on column reporting.receipts.unmatched_amount is 'What is left of money that came in: it names no payout we know.';
comment on column reporting.receipts.imported_at is 'When that file was imported.';

-- ---------------------------------------------------------------------------------------------------------------------
-- What the tables hold
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.receipt_files is 'Files of banks and wallets that were imported, each with its sha256, its balances and what became of its rows.';
comment on column tieout.receipt_files.id is 'Our number for the file.';
comment on column tieout.receipt_files.account_id is 'The account.';
comment on column tieout.receipt_files.file_name is 'Name of the file as it was sent.';
comment on column tieout.receipt_files.sha256 is 'SHA-256 of its bytes.';
comment on column tieout.receipt_files.byte_count is 'Its size.';
comment on column tieout.receipt_files.format is 'camt053, mt940, bai2, ofx, csv or chain_csv.';
comment on column tieout.receipt_files.profile is 'Of a CSV file: which column is what, as it was used.';
comment on column tieout.receipt_files.encoding is 'The encoding it was read in.';
comment on column tieout.receipt_files.parser_version is 'Version of the reader.';
comment on column tieout.receipt_files.bank_account is 'The bank account or wallet; empty where the file tells of several.';
comment on column tieout.receipt_files.given is 'Bank account and currency that were given with a file that does not name them.';
comment on column tieout.receipt_files.state is 'imported or withdrawn.';
comment on column tieout.receipt_files.balances is 'The statements in the file: account, currency, opening, sum of lines, closing, and whether they add up.';
comment on column tieout.receipt_files.period_from is 'First day it tells of.';
comment on column tieout.receipt_files.period_to is 'Last day it tells of.';
comment on column tieout.receipt_files.rows_of_file is 'All of its rows: rows_other + rows_read.';
comment on column tieout.receipt_files.rows_other is 'Headers, balances, blank rows, bookings that are only pending.';
comment on column tieout.receipt_files.rows_read is 'rows_accepted + rows_duplicate + rows_rejected.';
comment on column tieout.receipt_files.rows_accepted is 'Rows that became lines or new versions of lines.';
comment on column tieout.receipt_files.rows_restated is 'Of these, new versions.';
comment on column tieout.receipt_files.rows_duplicate is 'Rows whose line was known already.';
comment on column tieout.receipt_files.rows_rejected is 'Rows that could not be read.';
comment on column tieout.receipt_files.made_at is 'When the bank made it, else the import: decides between two files with the same line.';
comment on column tieout.receipt_files.imported_at is 'When it was imported.';
comment on column tieout.receipt_files.imported_by is 'Who imported it.';
comment on column tieout.receipt_files.accepted_codes is 'What a person has accepted it in spite of.';
comment on column tieout.receipt_files.accepted_reason is 'Why.';
comment on column tieout.receipt_files.withdrawn_at is 'When it was withdrawn.';
comment on column tieout.receipt_files.withdrawn_by is 'Who withdrew it.';
comment on column tieout.receipt_files.withdrawn_reason is 'Why.';

comment on table tieout.receipt_file_bytes is 'The bytes of a bank''s file as they came, gzipped, in parts.';
comment on column tieout.receipt_file_bytes.file_id is 'The file.';
comment on column tieout.receipt_file_bytes.part is '1, 2, 3 and so on.';
comment on column tieout.receipt_file_bytes.content is 'The part, gzipped.';

comment on table tieout.receipt_rows is 'What became of each row of a bank''s file: every one is here.';
comment on column tieout.receipt_rows.file_id is 'The file.';
comment on column tieout.receipt_rows.row_no is 'Counted within the file.';
comment on column tieout.receipt_rows.line_no is 'The physical line on which it begins.';
comment on column tieout.receipt_rows.outcome is 'preamble, header, blank, skipped, trailer, accepted, duplicate or rejected.';
comment on column tieout.receipt_rows.code is 'Why it was rejected, or what it repeats or restates.';
comment on column tieout.receipt_rows.field is 'The field that could not be read.';
comment on column tieout.receipt_rows.reason is 'The same in words.';
comment on column tieout.receipt_rows.original_text is 'The row as it stands in the file, up to 4,000 characters.';
comment on column tieout.receipt_rows.line_id is 'The line that it became or repeats.';

comment on table tieout.receipt_lines is 'Append-only versions of bank lines and transfers on chain. Which of them count follows from the files: see receipt_retirements.';
comment on column tieout.receipt_lines.id is 'Our number for this version of the line.';
comment on column tieout.receipt_lines.account_id is 'The account.';
comment on column tieout.receipt_lines.line_key is 'What the line is known by: the bank''s number of the booking, or a hash of all that is said of it.';
comment on column tieout.receipt_lines.occurrence is '1, 2, 3 and so on among rows of one file with the same key.';
comment on column tieout.receipt_lines.version is '1, 2, 3 and so on: a restated line is a new version.';
comment on column tieout.receipt_lines.content_hash is 'SHA-256 of its values.';
comment on column tieout.receipt_lines.file_id is 'The file that first brought it.';
comment on column tieout.receipt_lines.row_no is 'The row of that file.';
comment on column tieout.receipt_lines.imported_at is 'When that file was imported.';
comment on column tieout.receipt_lines.bank_account is 'The bank account or wallet.';
comment on column tieout.receipt_lines.value_date is 'From when the bank counts the money.';
comment on column tieout.receipt_lines.booking_date is 'When the bank booked it.';
comment on column tieout.receipt_lines.effective_at is 'The time or day of the booking, else the value date.';
comment on column tieout.receipt_lines.amount is 'Never negative: the direction says which way.';
comment on column tieout.receipt_lines.currency is 'Currency or, on chain, asset of the amount.';
comment on column tieout.receipt_lines.direction is 'credit (came in) or debit (went out).';
comment on column tieout.receipt_lines.is_reversal is 'Whether it takes an earlier booking back.';
comment on column tieout.receipt_lines.reference is 'The payer''s reference.';
comment on column tieout.receipt_lines.end_to_end_id is 'The end-to-end id of the payment.';
comment on column tieout.receipt_lines.bank_reference is 'The bank''s own number of the booking.';
comment on column tieout.receipt_lines.hash is 'Of a transfer on chain, its hash.';
comment on column tieout.receipt_lines.remittance is 'The text of the payment.';
comment on column tieout.receipt_lines.counterparty is 'Who paid, or was paid.';
comment on column tieout.receipt_lines.charges is 'Charges of the bank that are stated with the line.';
comment on column tieout.receipt_lines.original_amount is 'What was sent, where the bank has converted it.';
comment on column tieout.receipt_lines.original_currency is 'Currency of original_amount.';
comment on column tieout.receipt_lines.keys is 'Every name in it by which a payout may be found, in comparable form.';

comment on table tieout.receipt_retirements is 'When a version of a bank line does not count.';
comment on column tieout.receipt_retirements.line_id is 'The version.';
comment on column tieout.receipt_retirements.retired_at is 'From when.';
comment on column tieout.receipt_retirements.restored_at is 'Until when; empty while it does not count.';
comment on column tieout.receipt_retirements.reason is 'superseded (a newer version counts) or withdrawn (no file in force carries it).';
comment on column tieout.receipt_retirements.file_id is 'The file that brought this about.';

comment on table tieout.receipt_matches is 'Which bank line brought the money of which payout. Holds from effective_at; known from matched_at to ended_at.';
comment on column tieout.receipt_matches.id is 'Our number for the match.';
comment on column tieout.receipt_matches.account_id is 'The account.';
comment on column tieout.receipt_matches.receipt_line_id is 'The version of the bank line.';
comment on column tieout.receipt_matches.payout_id is 'The payout.';
comment on column tieout.receipt_matches.rule is 'reference, end_to_end_id, hash or person.';
comment on column tieout.receipt_matches.key is 'The name that both carry.';
comment on column tieout.receipt_matches.amount is 'How much of the line settles the payout, signed, in the payout''s currency.';
comment on column tieout.receipt_matches.currency is 'The payout''s currency.';
comment on column tieout.receipt_matches.bank_fee is 'What the bank kept: booked under this name.';
comment on column tieout.receipt_matches.rounding is 'A difference of less than a minor unit.';
comment on column tieout.receipt_matches.state is 'active or ended.';
comment on column tieout.receipt_matches.made_by is 'rules, or who chose it.';
comment on column tieout.receipt_matches.reason is 'Why a person chose it.';
comment on column tieout.receipt_matches.effective_at is 'From when it holds: when the money arrived, or when a person decided.';
comment on column tieout.receipt_matches.matched_at is 'From when it was known.';
comment on column tieout.receipt_matches.ended_at is 'Until when it was known.';
comment on column tieout.receipt_matches.ended_by is 'Who or what ended it.';
comment on column tieout.receipt_matches.ended_reason is 'Why it ended.';
comment on column tieout.receipt_matches.barred is 'A person has parted the two: no rule matches them again.';

comment on column tieout.findings.receipt_line_id is 'The bank line, where there is one.';
comment on column tieout.discrepancies.receipt_line_id is 'The bank line, where there is one.';

-- The views and tables of this file, for those who may read them.
select tieout.admit_reader();
select tieout.admit_service();
