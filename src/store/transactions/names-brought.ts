/** As in `tieout.names_of`, with the value that the latest row has: what it has been called before need not be looked at. */
export const brought = [
  {
    kind: "provider_id",
    key: "tieout.comparable_id(provider_transaction_id)",
    held: "provider_transaction_id is distinct from held_provider_id",
  },
  {
    kind: "reference",
    key: "tieout.comparable_id(extra ->> 'partnerContext')",
    held: "extra ->> 'partnerContext' is distinct from held_reference",
  },
  {
    kind: "reference",
    key: "tieout.comparable_id(transaction_id)",
    held: "is_new and tieout.comparable_id(transaction_id) <> transaction_id",
  },
  {
    kind: "hash",
    key: "tieout.comparable_hash(transaction_hash)",
    held: "transaction_hash is distinct from held_hash",
  },
  {
    kind: "wallet",
    key: "tieout.comparable_address(wallet_address)",
    held: "wallet_address is distinct from held_wallet",
  },
];
