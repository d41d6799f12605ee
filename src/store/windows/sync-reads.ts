import { getTableColumns } from "drizzle-orm";
import { accountName } from "../accounts/accounts.ts";
import { columnsWithout } from "../columns-without.ts";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { syncWindows } from "../schema/sync-windows.ts";
import { quarantinedRecords } from "../schema/transactions.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** Without its digest, which is for machines. */
export type WindowRow = Omit<typeof syncWindows.$inferSelect, "digest"> & { account: string };

export const windowPaging = pagingBy(syncWindows, "descending", "id");

export async function listWindows(
  reader: AccountReader,
  filters: Filters<"account" | "kind" | "state">,
  page: PageWanted,
): Promise<Page<WindowRow>> {
  const columns = {
    ...columnsWithout(syncWindows, "digest"),
    account: accountName(syncWindows.accountId),
  };
  const select = reader.database.orm.select(columns).from(syncWindows).$dynamic();
  return selectPage(select, windowPaging, page, [
    seenBy(reader, syncWindows.accountId),
    ofAccounts(syncWindows.accountId, filters.account),
    anyOf(syncWindows.kind, filters.kind),
    anyOf(syncWindows.state, filters.state),
  ]);
}

export type QuarantineRow = typeof quarantinedRecords.$inferSelect & { account: string };

export const quarantinePaging = pagingBy(
  quarantinedRecords,
  "descending",
  "firstSeenAt",
  "rawHash",
  "accountId",
);

export async function listQuarantine(
  reader: AccountReader,
  filters: Filters<"account" | "reason">,
  page: PageWanted,
): Promise<Page<QuarantineRow>> {
  const { accountId, reason } = quarantinedRecords;
  const columns = { ...getTableColumns(quarantinedRecords), account: accountName(accountId) };
  const select = reader.database.orm.select(columns).from(quarantinedRecords).$dynamic();
  return selectPage(select, quarantinePaging, page, [
    seenBy(reader, accountId),
    ofAccounts(accountId, filters.account),
    anyOf(reason, filters.reason),
  ]);
}
