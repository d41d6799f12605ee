import { and, count, eq } from "drizzle-orm";
import { columnsWithout } from "../columns-without.ts";
import { type AccountReader, seenBy } from "../conditions.ts";
import type { Database, Queryable } from "../database.ts";
import { actorName } from "../people/actor-name.ts";
import { recordAudit } from "../people/audit-log.ts";
import { discrepancies } from "../schema/findings.ts";
import { attachments } from "../schema/workspace.ts";

export type Attachment = Omit<typeof attachments.$inferSelect, "content"> & { addedByName: string | null };

/** Enough for a case, and too few to use the database as a file store. */
const attachmentsMax = 20;

export async function listAttachments(reader: AccountReader, discrepancyId: number): Promise<Attachment[]> {
  return reader.database.orm
    .select({
      ...columnsWithout(attachments, "content"),
      addedByName: actorName<string | null>(attachments.addedBy),
    })
    .from(attachments)
    .where(and(seenBy(reader, attachments.accountId), eq(attachments.discrepancyId, discrepancyId)))
    .orderBy(attachments.id);
}

interface Author {
  actor: string;
  requestId: string;
}

type NewAttachment = Omit<typeof attachments.$inferInsert, "id" | "addedBy" | "addedAt">;

/** The same bytes are kept once. */
export async function addAttachment(
  database: Database,
  file: NewAttachment,
  author: Author,
): Promise<"added" | "known" | "too many"> {
  return database.transaction(async (tx) => {
    const ofDiscrepancy = eq(attachments.discrepancyId, file.discrepancyId);
    const [held] = await tx.orm.select({ files: count() }).from(attachments).where(ofDiscrepancy);
    if ((held?.files ?? 0) >= attachmentsMax) return "too many";
    const [added] = await tx.orm
      .insert(attachments)
      .values({ ...file, addedBy: author.actor })
      .onConflictDoNothing()
      .returning({ id: attachments.id });
    if (added === undefined) return "known";
    const { fileName, kind, byteCount, sha256 } = file;
    await recordAudit(tx, {
      ...author,
      action: "attachment.added",
      subject: `dis_${file.discrepancyId}`,
      after: {
        attachment: added.id,
        file_name: fileName,
        kind,
        bytes: byteCount,
        sha256: sha256.toString("hex"),
      },
    });
    return "added";
  });
}

/** The bytes, noted as handed out. */
export async function readAttachment(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  attachmentId: number,
  author: Author,
): Promise<{ fileName: string; content: Buffer } | null> {
  return database.transaction(async (tx) => {
    const { fileName, content, discrepancyId } = attachments;
    const [found] = await tx.orm
      .select({ fileName, content, discrepancyId })
      .from(attachments)
      .where(and(seenBy(reader, attachments.accountId), eq(attachments.id, attachmentId)));
    if (found === undefined) return null;
    await recordAudit(tx, {
      ...author,
      action: "attachment.downloaded",
      subject: `dis_${found.discrepancyId}`,
      after: { attachment: attachmentId },
    });
    return found;
  });
}

/** All of an account, with the transaction that their discrepancy is about. */
export async function listAttachmentsOf(
  tx: Queryable,
  accountId: number,
): Promise<{ id: number; kind: string; transactionId: string | null }[]> {
  const { id, kind } = attachments;
  return tx.orm
    .select({ id, kind, transactionId: discrepancies.transactionId })
    .from(attachments)
    .innerJoin(discrepancies, eq(discrepancies.id, attachments.discrepancyId))
    .where(eq(attachments.accountId, accountId))
    .orderBy(id);
}

export async function readAttachedBytes(tx: Queryable, attachmentId: number): Promise<Buffer> {
  const [row] = await tx.orm
    .select({ content: attachments.content })
    .from(attachments)
    .where(eq(attachments.id, attachmentId));
  if (!row) throw new TypeError(`attachment ${attachmentId} is gone`);
  return row.content;
}
