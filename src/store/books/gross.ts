/**
 * What a charge brings in before fees, in the currency in which it is owed. Where the provider has converted it, or does not
 * tell, this begins with what it owes: an amount of another currency is not a step on the way there.
 */
export const grossOfCharge = (currency: string) =>
  `case when l.fiat_currency = ${currency} then coalesce(l.fiat_gross, l.net_amount) else l.net_amount end`;

/**
 * A fee, which may be printed in the column of amounts, and an order that moved no money. Lines of files that were read by earlier
 * versions keep what was shown for them, because signed months say so.
 */
export const hasNoGross = (line: string, file: string) =>
  `(${file}.parser_version >= 3 and (${line}.line_type = 'fee'
         or ${line}.line_type = 'charge' and ${line}.net_amount = 0 and not tieout.moved_money(${line}.status)))`;
