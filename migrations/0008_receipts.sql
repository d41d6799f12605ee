-- Receipts: what has arrived at banks and on chain, which payouts it settles, and what people read of it.

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
-- What people read
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.receipts as
select a.name as account,
       l.id as receipt_line_id,
       f.id as receipt_file_id,
       f.file_name,
       w.line_no,
       l.bank_account,
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
       l.remittance,
       l.counterparty,
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
