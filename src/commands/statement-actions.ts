import { stat } from "node:fs/promises";
import { reconcileInside } from "../reconcile/reconcile.ts";
import {
  type ImportDeps,
  importStatement,
  previewStatement,
} from "../reconcile/statement/import-statement.ts";
import { listProfiles, vocabularyOf } from "../reconcile/statement/own-profiles.ts";
import { readSample } from "../reconcile/statement/read-sample.ts";
import { fileSource, tellingSource } from "../reconcile/statement/source.ts";
import { whyItCounts } from "../reconcile/statement/which-counts.ts";
import { type ShownImport, withoutWallets } from "../reconcile/statement/without-wallets.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { Database } from "../store/database.ts";
import type { OpenErasureKey } from "../store/erasure/erased-subjects.ts";
import type { StoredStatement } from "../store/statements/statements.ts";
import type {
  OutcomeStatement,
  StatementActions,
  StatementFile,
  StatementOutcome,
  StatementRequest,
  StatementTotal,
} from "../web/statements/actions.ts";

/** Statements for the page: a preview shows exactly what an import does, matching included. */
export function statementActions(database: Database, erasureKey?: OpenErasureKey): StatementActions {
  async function run(take: typeof importStatement, file: StatementFile, request: StatementRequest) {
    const vocabulary = await vocabularyOf(database, request.account.id);
    const { wallets, signal, tell = () => undefined, ...asked } = request;
    const { size } = await stat(file.path);
    const source = tellingSource(fileSource(file.path, file.name), size, ({ share, isForHash }) => {
      if (!isForHash) tell(`Reading, ${Math.floor(share * 100)} %`);
    });
    const deps: ImportDeps = {
      ...vocabulary,
      database,
      erasureKey,
      afterLines: (tx, touched) => {
        tell("Matching its lines …");
        return reconcileInside(tx, touched);
      },
      signal,
    };
    const result = await take(deps, source, { ...asked, ...asTheFileSays });
    return presentOutcome(wallets ? result : withoutWallets(result));
  }
  return {
    profiles: async (accountIds) => {
      const accounts = await reportableAccounts(database, accountIds);
      const known = await Promise.all(accounts.map(({ id }) => listProfiles(database, id)));
      return [...new Set(known.flat().map(({ profile }) => profile.name))].toSorted();
    },
    preview: (file, request) => run(previewStatement, file, request),
    take: (file, request) => run(importStatement, file, request),
    sample: ({ path, name }, asked) => readSample(fileSource(path, name), asked),
  };
}

const asTheFileSays = { generatedAt: null, periodFrom: null, periodTo: null };

function presentOutcome(result: ShownImport): StatementOutcome {
  return {
    state: result.state,
    statement: presentStatement(result.statement),
    problems: result.problems,
    rejects: result.rejects,
    repeated: result.repeated,
    replaced: result.replaced,
    restated: result.restated.map((row) => ({ ...row, because: whyItCounts(row) })),
    closedMonths: result.closedMonths,
    consequences: result.consequences?.counts ?? {},
    codes: result.consequences?.codes ?? {},
    untied: result.untied,
  };
}

function presentStatement(statement: StoredStatement): OutcomeStatement {
  const { columns = {} } = statement.profileUsed as { columns?: Record<string, string | string[]> };
  return {
    ...statement,
    mapping: Object.fromEntries(
      Object.entries(columns).map(([field, names]) => [field, [names].flat().join(", else ")]),
    ),
    totals: statement.totals as StatementTotal[],
    warnings: (statement.warnings as { message?: string }[]).flatMap(({ message }) => message ?? []),
  };
}
