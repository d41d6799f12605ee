import { counted } from "../core/counted.ts";
import { recordAudit } from "../store/people/audit-log.ts";
import { rebuildTransactions } from "../store/transactions/rebuild.ts";
import type { CommandContext } from "./context.ts";
import { withExistingStore } from "./with-store.ts";
import { answer } from "./write-out.ts";

export async function rebuild(context: CommandContext, options: { json: boolean }): Promise<void> {
  await withExistingStore(context, async (store) => {
    const counts = await rebuildTransactions(store.database);
    await store.database.transaction((tx) =>
      recordAudit(tx, {
        actor: "command line",
        action: "transactions.rebuilt",
        subject: "transactions",
        after: counts,
      }),
    );
    const { transactions, mended, removed, named } = counts;
    const text = `${counted(transactions, "transaction")}, ${mended} mended, ${removed} removed, ${counted(named, "name")} added`;
    answer(options, counts, text);
  });
}
