import { maskWallet } from "../../api/present.ts";
import type { StoredReceiptFile } from "../../store/receipts/receipt-files.ts";
import { may, type Visitor } from "../deps.ts";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given } from "../parts/show.tsx";

interface BalancesProps {
  balances: StoredReceiptFile["balances"];
  format: string;
  visitor: Visitor;
}

/** What the bank states, and whether the lines lead from the one balance to the other. */
export function Balances({ balances, format, visitor }: BalancesProps) {
  if (balances.length === 0) return null;
  return (
    <ListTable
      label="Balances"
      caption="Where the file states both balances, opening plus lines must equal closing"
      class="keep"
      rows={balances}
      columns={[
        {
          title: "Bank account",
          rowName: (row) => <Given text={seenAccount(row.bank_account, format, visitor)} mono />,
        },
        { title: "Lines", figures: (row) => <Count of={row.line_count} /> },
        { title: "Opening", money: (row) => ({ amount: row.opening, currency: row.currency }) },
        { title: "Lines add up to", money: (row) => ({ amount: row.lines, currency: row.currency }) },
        { title: "Closing", money: (row) => ({ amount: row.closing, currency: row.currency }) },
        { title: "Adds up", show: (row) => <AddsUp is={row.adds_up} /> },
      ]}
    />
  );
}

function AddsUp({ is }: { is: boolean | null }) {
  if (is === null) return <Chip tone="plain">not stated</Chip>;
  return is ? <Chip tone="good">adds up</Chip> : <Chip tone="bad">does not add up</Chip>;
}

/** On chain the account is a wallet, which not everyone may see. */
export function seenAccount(account: string | null, format: string, visitor: Visitor): string | null {
  return format === "chain_csv" && !may(visitor, "wallets:read") ? maskWallet(account) : account;
}
