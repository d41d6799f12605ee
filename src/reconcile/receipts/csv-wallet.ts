import type { CellOf, Money, Unread } from "./csv-amount.ts";

interface Transfer {
  readonly bankAccount: string | null;
  readonly counterparty: string | null;
  readonly money: Money;
}

const addressesMax = 10_000;

/**
 * Which way a transfer of a wallet went, where the file only says from whom and to whom: its amounts have no sign. With the
 * wallet given, each row says it. Without one, an address that both sends and receives shows that some of the rows went out.
 */
export function createWalletSides(wallet: string | null) {
  const senders = new Set<string>();
  const receivers = new Set<string>();
  let both: string | null = null;

  return {
    sideOf(cell: CellOf, money: Money): Transfer | Unread {
      const to = cell("bank_account");
      const from = cell("counterparty");
      const stated = { bankAccount: to, counterparty: from, money };
      if (money.direction !== undefined || money.amount.startsWith("-")) return stated;
      if (to === null || from === null) return stated;
      if (wallet === null) {
        if (receivers.size < addressesMax) receivers.add(folded(to));
        if (senders.size < addressesMax) senders.add(folded(from));
        if (senders.has(folded(to)) || receivers.has(folded(from)))
          both ??= senders.has(folded(to)) ? to : from;
        return stated;
      }
      const isIn = folded(to) === folded(wallet);
      const isOut = folded(from) === folded(wallet);
      if (isIn === isOut) {
        const why = isIn ? `it goes from ${wallet} to itself` : `it is neither to nor from ${wallet}`;
        return { field: "bank_account", why };
      }
      if (isIn) return stated;
      return { bankAccount: from, counterparty: to, money: { ...money, direction: "debit" } };
    },
    problems(): string[] {
      if (both === null) return [];
      return [
        `${both} both sends and receives, so some transfers went out: state your wallet as the bank account`,
      ];
    },
  };
}

/** Addresses in hexadecimal are written with and without capitals. */
const folded = (address: string) => (/^0x/i.test(address) ? address.toLowerCase() : address);
