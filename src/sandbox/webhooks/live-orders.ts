import type { Account } from "../accounts/account.ts";
import { formatInstant } from "../../core/instant.ts";
import type { Books } from "../ledger/books.ts";
import type { Naming } from "../transactions/currency-names.ts";
import type { OrderEvent } from "./events.ts";

/** Orders of the history whose statuses come true while the sandbox runs. */
export interface LiveOrders {
  /** What has come true since the start and is not forgotten, by order. */
  dueOf(account: Account, nowMs: number): ReadonlyMap<string, readonly OrderEvent[]>;
  /** There is nothing left to tell of it. */
  forget(account: Account, transactionId: string): void;
}

/** Looks only at the time since the last look: a history may be long, and what happened before the start is not news. */
export function watchLiveOrders(
  { books, naming }: { books: Books; naming: () => Naming },
  startMs: number,
): LiveOrders {
  const seen = new Map<Account, { lookedMs: number; orders: Map<string, OrderEvent[]> }>();

  function stateOf(account: Account) {
    let state = seen.get(account);
    if (!state) seen.set(account, (state = { lookedMs: startMs, orders: new Map() }));
    return state;
  }

  return {
    dueOf(account, nowMs) {
      const state = stateOf(account);
      const view = books.of(account).at(nowMs, naming());
      const { first, last } = view.bucketsOf({ fromMs: state.lookedMs, toMs: nowMs + 1 });
      for (let bucket = first; bucket <= last; bucket = view.bucketFrom("status", bucket + 1, 1)) {
        for (const row of view.rowsOf("status", bucket)) {
          const isNew = row.dateMs > state.lookedMs && row.dateMs <= nowMs;
          // The journal reports what people did here.
          if (!isNew || row.index === -1) continue;
          const { transactionId, dateMs, step } = row;
          const { status } = view.recordOf(row);
          const event: OrderEvent = {
            id: `evt_${transactionId}_${step}`,
            transactionId,
            apiKey: account.apiKey,
            atMs: dateMs,
            step,
            body: `{"type":"transaction.${status}","timestamp":"${formatInstant(dateMs)}","data":${view.textOf(row)}}`,
          };
          const events = [...(state.orders.get(transactionId) ?? []), event];
          state.orders.set(
            transactionId,
            events.toSorted((a, b) => a.step - b.step),
          );
        }
      }
      state.lookedMs = nowMs;
      return state.orders;
    },
    forget(account, transactionId) {
      stateOf(account).orders.delete(transactionId);
    },
  };
}
