import { createWriteStream } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { counted } from "../core/counted.ts";
import { presentImport } from "../api/statements/import-schema.ts";
import { presentStatement } from "../api/statements/schema.ts";
import { usageError } from "../core/errors.ts";
import { reconcileInside } from "../reconcile/reconcile.ts";
import {
  type ImportDeps,
  importStatement,
  previewStatement,
  type TouchedProvider,
} from "../reconcile/statement/import-statement.ts";
import { vocabularyOf } from "../reconcile/statement/own-profiles.ts";
import type { Profile } from "../reconcile/statement/profile.ts";
import { writeRejects } from "../reconcile/statement/rejects-csv.ts";
import { fileSource } from "../reconcile/statement/source.ts";
import { withdrawStatement } from "../reconcile/statement/withdraw-statement.ts";
import type { Transaction } from "../store/database.ts";
import { saveSetting } from "../store/statements/provider-settings.ts";
import { listStatements } from "../store/statements/statements.ts";
import { findErasureKey } from "./erasure-key.ts";
import type { CommandContext } from "./context.ts";
import { sizeOfGiven } from "./given-file.ts";
import { answer, answerTable } from "./write-out.ts";
import { readFlags, readReference, type TakeStatementFlags } from "./statement-flags.ts";
import { showReading } from "./statement-progress.ts";
import { actorName } from "./actor-name.ts";
import { chooseAccount } from "./choose-account.ts";
import { withExistingStore, withStore } from "./with-store.ts";
import { describeImport, describeList } from "./statement-table.ts";

/** `false` when a row was not taken, or the file would be refused. */
export async function takeStatement(
  context: CommandContext,
  path: string,
  flags: TakeStatementFlags,
  options: { preview: boolean },
): Promise<boolean> {
  const { asked, ownProfile } = await readFlags(flags);
  const size = await sizeOfGiven(path);
  return withStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const reading = showReading(context, fileSource(path, basename(path)), size);
    const vocabulary = await vocabularyOf(database, account.id);
    const deps: ImportDeps = {
      ...vocabulary,
      database,
      erasureKey: () => findErasureKey(context.config),
      profiles: withOwn(vocabulary.profiles, ownProfile),
      // All in the database transaction of the import: a preview undoes it together with the lines.
      afterLines: async (tx, touched) => {
        reading.matching();
        if (flags.rejects !== undefined) await saveRejects(tx, touched, flags.rejects);
        if (ownProfile) await keepProfile(tx, touched, ownProfile);
        return reconcileInside(tx, touched);
      },
    };
    const take = options.preview ? previewStatement : importStatement;
    const result = await take(deps, reading.source, { ...asked, account, actor: actorName() }).finally(
      reading.end,
    );
    answer(flags, presentImport(result), describeImport(result));
    return result.statement.rowsRejected === 0 && result.problems.length === 0;
  });
}

export async function listStatementsCommand(
  context: CommandContext,
  flags: { account?: string; provider?: string; json: boolean },
): Promise<void> {
  const { account, provider } = flags;
  await withExistingStore(context, async ({ database }) => {
    if (account !== undefined) await chooseAccount(database, account);
    const filters = {
      account: account === undefined ? undefined : [account],
      provider: provider === undefined ? undefined : [provider.toLowerCase()],
    };
    const page = { limit: statementsShownMax, after: null };
    const { rows } = await listStatements({ database, accountIds: null }, filters, page);
    const isNarrowed = account !== undefined || provider !== undefined;
    answerTable(context, flags, {
      values: rows.map(presentStatement),
      text: describeList(rows),
      none: `There are no ${isNarrowed ? "such statements" : "statements yet"}: tieout statement import reads one.`,
    });
  });
}

export async function withdrawStatementCommand(
  context: CommandContext,
  reference: string,
  flags: { reason: string; json: boolean },
): Promise<void> {
  const statementId = readReference("withdraw", reference);
  await withExistingStore(context, async ({ database }) => {
    const result = await withdrawStatement(
      { database, afterLines: (tx, touched) => reconcileInside(tx, touched) },
      { statementId, reason: flags.reason, actor: actorName() },
    );
    const json = {
      ...presentStatement(result.statement),
      lines_retired: result.linesRetired,
      lines_restored: result.linesRestored,
    };
    const said = `${json.id} withdrawn: ${counted(result.linesRetired, "line no longer counts", "lines no longer count")}, ${counted(result.linesRestored, "older version counts", "older versions count")} again`;
    answer(flags, json, said);
  });
}

const statementsShownMax = 1_000;

function withOwn(profiles: readonly Profile[], own: Profile | null): readonly Profile[] {
  return own === null ? profiles : [own, ...profiles.filter(({ name }) => name !== own.name)];
}

async function saveRejects(tx: Transaction, { statementId }: TouchedProvider, path: string): Promise<void> {
  await pipeline(Readable.from(writeRejects(tx, statementId)), createWriteStream(path)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      throw usageError(`--rejects: cannot write ${path} (${error.code}): check the name`);
    },
  );
}

/** So that the next file of this layout is recognised by itself. */
async function keepProfile(
  tx: Transaction,
  { accountId, provider }: TouchedProvider,
  profile: Profile,
): Promise<void> {
  const { name } = profile;
  const author = { actor: actorName() };
  await saveSetting(tx, { accountId, provider, kind: "profile", name, value: profile, ...author });
}
