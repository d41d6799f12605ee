-- Two figures of reports. In `itemised`, `line_gross` of a correction that takes money back is below zero; it had no sign. In `receipts`, what
-- is left of a bank line that settles a payout in its own currency is unmatched, also where the bank states another amount as sent; it was 0.
-- Months that were closed before stay as they were signed.

insert into tieout.rule_changes (rule, since)
values ('corrections_with_sign', clock_timestamp()), ('unmatched_in_own_currency', clock_timestamp())
on conflict do nothing;
