import { and, desc, eq, getTableColumns, isNotNull, sql } from "drizzle-orm";
import { accountName } from "../accounts/accounts.ts";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Page, PageWanted } from "../keyset.ts";
import type { Orm } from "../orm.ts";
import { actorName } from "../people/actor-name.ts";
import { matches } from "../schema/reconciliation.ts";
import { lineFiles, statementLines, statementRows, statements } from "../schema/statements.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** A match, with the place of its line: every figure leads to a file and a line number. */
export type MatchRow = Awaited<ReturnType<typeof withPlace>>[number];

function withPlace(orm: Orm) {
  const { lineType, payoutRef } = statementLines;
  const { lineNo, statementId } = lineFiles;
  const place = { lineType, lineNo, statementId, payoutRef, fileName: statements.fileName };
  return orm
    .select({
      ...getTableColumns(matches),
      account: accountName(matches.accountId),
      madeByName: actorName(matches.madeBy),
      endedByName: actorName<string | null>(matches.endedBy),
      ...place,
    })
    .from(matches)
    .innerJoin(statementLines, eq(statementLines.id, matches.lineId))
    .innerJoin(lineFiles, eq(lineFiles.lineId, matches.lineId))
    .innerJoin(statements, eq(statements.id, statementId))
    .$dynamic();
}

export interface MatchFilters extends Filters<
  "account" | "provider" | "state" | "rule" | "role" | "transactionId"
> {
  lineId?: number | undefined;
}

export const matchPaging = pagingBy(matches, "descending", "id");

export async function listMatches(
  reader: AccountReader,
  filters: MatchFilters,
  page: PageWanted,
): Promise<Page<MatchRow>> {
  return selectPage(withPlace(reader.database.orm), matchPaging, page, [
    seenBy(reader, matches.accountId),
    ofAccounts(matches.accountId, filters.account),
    anyOf(matches.provider, filters.provider),
    anyOf(matches.state, filters.state),
    anyOf(matches.rule, filters.rule),
    anyOf(matches.role, filters.role),
    anyOf(matches.transactionId, filters.transactionId),
    filters.lineId === undefined ? undefined : eq(matches.lineId, filters.lineId),
  ]);
}

export async function readMatch(reader: AccountReader, id: number): Promise<MatchRow | null> {
  const [row] = await withPlace(reader.database.orm).where(
    and(seenBy(reader, matches.accountId), eq(matches.id, id)),
  );
  return row ?? null;
}

/** The matches that a line is split over, in the order in which they were named. */
export async function listPartsOfLine(reader: AccountReader, lineId: number): Promise<MatchRow[]> {
  return withPlace(reader.database.orm)
    .where(
      and(
        seenBy(reader, matches.accountId),
        eq(matches.lineId, lineId),
        eq(matches.state, "active"),
        isNotNull(matches.partAmount),
      ),
    )
    .orderBy(matches.partNo);
}

/** The parts of a split that ended together with one of them, in the order in which they were named. */
export async function listPartsEndedWith(reader: AccountReader, matchId: number): Promise<MatchRow[]> {
  const match = await readMatch(reader, matchId);
  if (match === null || match.endedAt === null) return [];
  return withPlace(reader.database.orm)
    .where(
      and(
        eq(matches.lineId, match.lineId),
        eq(matches.endedAt, match.endedAt),
        isNotNull(matches.partAmount),
      ),
    )
    .orderBy(matches.partNo);
}

/** A match of a transaction, and the line of the statement on the other side. */
export type MatchedLine = Awaited<ReturnType<typeof matchedLines>>[number];

/** Matches that hold or are suggested first, those that ended after them. */
export async function matchedLines(reader: AccountReader, key: { accountId: number; transactionId: string }) {
  return reader.database.orm
    .select({
      match: { ...getTableColumns(matches), madeByName: actorName(matches.madeBy) },
      line: {
        ...getTableColumns(statementLines),
        statementId: lineFiles.statementId,
        lineNo: lineFiles.lineNo,
      },
      fileName: statements.fileName,
      payoutId: sql<number | null>`(
        select min(p.id)::double precision
        from tieout.payouts as p
        where p.account_id = ${statementLines.accountId} and p.provider = ${statementLines.provider}
          and p.payout_ref = ${statementLines.payoutRef})`,
      rawText: statementRows.originalText,
    })
    .from(matches)
    .innerJoin(statementLines, eq(statementLines.id, matches.lineId))
    .innerJoin(lineFiles, eq(lineFiles.lineId, matches.lineId))
    .innerJoin(statements, eq(statements.id, lineFiles.statementId))
    .leftJoin(
      statementRows,
      and(eq(statementRows.statementId, lineFiles.statementId), eq(statementRows.lineNo, lineFiles.lineNo)),
    )
    .where(
      and(
        seenBy(reader, matches.accountId),
        eq(matches.accountId, key.accountId),
        eq(matches.transactionId, key.transactionId),
      ),
    )
    .orderBy(sql`${matches.state} = 'ended'`, desc(matches.matchedAt))
    .limit(50);
}
