-- A rate that is given, or corrected, after a month was closed puts the entries of that month right in the next one, and an entry without
-- a rate no longer keeps the exchange difference of the others from being booked. Months that were closed before stay as they were signed.

insert into tieout.rule_changes (rule, since)
values ('late_rates', clock_timestamp())
on conflict do nothing;
