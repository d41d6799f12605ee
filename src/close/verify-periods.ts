import { TieoutError } from "../core/errors.ts";
import type { Instant } from "../core/instant.ts";
import type { Database } from "../store/database.ts";
import { findPeriodMismatches } from "../store/periods/period-integrity.ts";
import { listPeriodEvents } from "../store/periods/period-reads.ts";
import { listPeriods } from "./period.ts";
import { orderOf } from "./sign-off.ts";
import { withPackParts } from "./write-pack.ts";

interface Mismatch {
  subject: string;
  problem: string;
}

/** Events and the periods they make; and the pack of every closed month, made again and compared with what was signed. */
export async function verifyPeriods(database: Database, now: Instant): Promise<Mismatch[]> {
  const mismatches = await findPeriodMismatches(database);
  for (const period of await listPeriods({ database, accountIds: null }, now)) {
    if (period.state !== "closed") continue;
    const events = await listPeriodEvents(database, period);
    const prepared = events.findLast(({ event }) => event === "prepared");
    if (prepared === undefined) continue;
    const problem = await withPackParts(database, orderOf(period, prepared), async ({ manifestSha256 }) =>
      manifestSha256 === prepared.packSha256?.toString("hex")
        ? null
        : `its pack was signed as ${prepared.packSha256?.toString("hex")}, and made again it is ${manifestSha256}`,
    ).catch((error: unknown) => {
      if (error instanceof TieoutError) return error.message;
      throw error;
    });
    if (problem !== null) mismatches.push({ subject: `period ${period.account} ${period.month}`, problem });
  }
  return mismatches;
}
