import { setAccountSetting } from "../../src/reconcile/account-settings.ts";
import type { AccountSettingName } from "../../src/store/accounts/account-settings.ts";
import type { Books } from "../reconcile/books.ts";

export async function set(books: Books, name: AccountSettingName, value: unknown): Promise<void> {
  await setAccountSetting(books.db, {
    account: { id: books.accountId, name: books.name },
    name,
    value,
    reason: "a test",
    actor: "test",
    seenVersion: null,
  });
}
