import { createHash } from "node:crypto";
import { type ErasedSubjects, erasedRaw, eraseRecord, namesErased, nothingErased } from "../core/erasure.ts";
import type { ErasureMemory } from "../store/erasure/erased-subjects.ts";
import type { HashedRecord, PageToRecord, RejectedRecord } from "../store/transactions/record-page.ts";
import { isErasureUnknown } from "../store/sql-errors.ts";

/**
 * Keeps a page without the personal data of those who were erased. The database refuses it if someone was erased that
 * this process has not heard of; then the page is made ready again.
 */
export async function withoutErased<T>(
  memory: ErasureMemory | undefined,
  accountId: number,
  page: PageToRecord,
  keep: (page: PageToRecord) => Promise<T>,
): Promise<T> {
  if (!memory) return keep(page);
  try {
    return await keep(eraseArrivals(await memory.current(), accountId, page));
  } catch (error) {
    if (!isErasureUnknown(error)) throw error;
    return keep(eraseArrivals(await memory.reload(), accountId, page));
  }
}

function eraseArrivals(
  subjects: ErasedSubjects = nothingErased,
  accountId: number,
  page: PageToRecord,
): PageToRecord {
  const { version: erasures, key } = subjects;
  if (key === null || !subjects.any(accountId)) return { ...page, erasures };

  const eraseOne = (one: HashedRecord): HashedRecord => {
    const { transactionId, walletAddress } = one.record;
    const isErased =
      subjects.has(accountId, "transaction", transactionId) ||
      (walletAddress !== null && subjects.has(accountId, "wallet", walletAddress));
    return isErased ? { ...one, ...eraseRecord(key, accountId, one.record) } : one;
  };
  const eraseRejection = (one: RejectedRecord): RejectedRecord => {
    if (!namesErased(subjects, accountId, one.raw)) return one;
    const raw = erasedRaw(key, accountId, one.raw);
    return { ...one, raw, rawHash: createHash("sha256").update(raw).digest("hex") };
  };
  return {
    ...page,
    erasures,
    records: page.records.map(eraseOne),
    rejections: page.rejections.map(eraseRejection),
  };
}
