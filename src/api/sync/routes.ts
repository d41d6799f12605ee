import {
  listQuarantine,
  listWindows,
  quarantinePaging,
  windowPaging,
} from "../../store/windows/sync-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { accountFilter, choices, several } from "../parameters.ts";
import { sightOf } from "../present.ts";
import { quarantinedRecord, syncWindow } from "./schema.ts";

const access = needs("transactions:read");
const kinds = ["live", "backfill", "lookback", "deep", "refresh", "event"] as const;
const states = ["planned", "walking", "sealed", "split", "failed"] as const;

/** How the records came here, and which of them could not be understood. */
export function addSyncRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/sync/windows",
      operationId: "listWindows",
      summary: "Windows of time that were or will be read, newest first",
      tag: "Sync",
      access,
      filters: {
        account: accountFilter,
        kind: choices("Why it is read.", kinds),
        state: choices("Its progress.", states),
      },
      name: "WindowList",
      of: syncWindow,
      page: "A page of windows.",
    },
    ({ reader, query }) => ({
      paging: windowPaging,
      read: (page) => listWindows(reader, query, page),
      present: syncWindow.present,
    }),
  );

  addList(
    api,
    {
      path: "/v1/quarantine",
      operationId: "listQuarantine",
      summary: "Records that could not be understood, newest first",
      description:
        "Only keys with `wallets:read` see the record as received, because it may hold a wallet address.",
      tag: "Sync",
      access,
      filters: {
        account: accountFilter,
        reason: several({ description: "Why it could not be understood.", example: "amount_not_a_decimal" }),
      },
      name: "QuarantineList",
      of: quarantinedRecord,
      page: "A page of quarantined records.",
    },
    ({ caller, reader, query }) => ({
      paging: quarantinePaging,
      read: (page) => listQuarantine(reader, query, page),
      present: (row) => quarantinedRecord.present(row, sightOf(caller)),
    }),
  );
}
