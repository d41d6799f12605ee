import { inArray } from "drizzle-orm";
import type { AccountReader } from "../conditions.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { type Approval, listApprovals } from "../people/approvals.ts";
import { erasures } from "../schema/erasures.ts";

/** An erasure from its proposal on; what it changed, once it was carried out. */
export interface ListedErasure extends Approval {
  erasedAt: string | null;
  erasedCounts: Record<string, number> | null;
}

export async function listErasures(reader: AccountReader, page: PageWanted): Promise<Page<ListedErasure>> {
  const { rows, ...rest } = await listApprovals(reader, { kind: ["erase"] }, page);
  if (rows.length === 0) return { rows: [], ...rest };
  const done = await reader.database.orm
    .select({ approvalId: erasures.approvalId, erasedAt: erasures.erasedAt, counts: erasures.counts })
    .from(erasures)
    .where(
      inArray(
        erasures.approvalId,
        rows.map(({ id }) => id),
      ),
    );
  const byApproval = new Map(done.map((one) => [one.approvalId, one]));
  return {
    ...rest,
    rows: rows.map((row) => ({
      ...row,
      erasedAt: byApproval.get(row.id)?.erasedAt ?? null,
      erasedCounts: (byApproval.get(row.id)?.counts ?? null) as ListedErasure["erasedCounts"],
    })),
  };
}
