import type { Account } from "../accounts/account.ts";
import { isEnabled } from "../accounts/account.ts";
import type { KeyRing } from "../accounts/key-ring.ts";
import type { Journal } from "../checkout/journal.ts";
import type { HistoryOptions } from "./history.ts";
import { createLedger, type Ledger } from "./ledger.ts";

/** The ledgers of all accounts: each sees only its own transactions. */
export interface Books {
  of(account: Account): Ledger;
  /** What the account's history, ids and cursors are made from. */
  seedOf(account: Account): string;
}

export interface BooksOptions extends Omit<HistoryOptions, "seed"> {
  readonly accounts: KeyRing;
  readonly journal: Pick<Journal, "records">;
}

export function openBooks({ accounts, journal, ...history }: BooksOptions): Books {
  const ledgers = new Map<Account, Ledger>();
  const { world } = history;
  // The first account has the history that a sandbox with one account has, so that adding others does not change it.
  const seedOf = (account: Account) =>
    account === accounts.first ? world.seed : `${world.seed}\u0000${account.name}`;

  function open(account: Account): Ledger {
    return createLedger({
      ...history,
      // An account whose providers are all disabled has no business, and so no history.
      world: { ...world, providers: world.providers.filter(({ id }) => isEnabled(account, id)) },
      transactions: account.providers?.size === 0 ? 0 : (account.transactions ?? history.transactions),
      seed: seedOf(account),
      apiKey: account.apiKey,
      journal: { records: ({ now }) => journal.records({ now, apiKey: account.apiKey }) },
    });
  }

  return {
    seedOf,
    of(account) {
      let ledger = ledgers.get(account);
      if (!ledger) ledgers.set(account, (ledger = open(account)));
      return ledger;
    },
  };
}
