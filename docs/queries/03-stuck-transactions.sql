-- Question: Which transactions have been open for longer than their payment method explains?
-- Grain: one row per transaction, longest waiting first
-- Columns:
--   account, transaction_id, provider, provider_transaction_id: what to ask the provider about
--   payment_method: the payment method
--   status: where it is stuck; paid means that the customer's money has been taken
--   open_for: time since that status
--   source_currency, in_amount: what the customer gave

select account,
       transaction_id,
       provider,
       provider_transaction_id,
       payment_method,
       status,
       now() - status_date as open_for,
       source_currency,
       in_amount
from reporting.transactions
where not is_final
  and status_date < now() - case when payment_method in ('ach', 'banktransfer', 'sepainstant')
                                 then interval '3 days'
                                 else interval '6 hours' end
order by status_date, account, transaction_id;
