import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import {
  type ImportDeps,
  importStatement,
  type ImportRequest,
  type ImportResult,
  previewStatement,
} from "../../../src/reconcile/statement/import-statement.ts";
import { type Profile, profileSchema, type ProfileSource } from "../../../src/reconcile/statement/profile.ts";
import type { StatementSource } from "../../../src/reconcile/statement/source.ts";
import type { Database } from "../../../src/store/database.ts";

export function textSource(name: string, content: string | Buffer): StatementSource {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  // In small pieces, so that letters, rows and quotes are cut in their middle.
  return {
    name,
    bytes: async function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

const pieceBytes = 61;

export interface ImportBench {
  import(name: string, content: string | Buffer, request?: Partial<TestRequest>): Promise<ImportResult>;
  preview(name: string, content: string | Buffer, request?: Partial<TestRequest>): Promise<ImportResult>;
}

export interface TestRequest extends ImportRequest {
  profiles: readonly Profile[];
  deps: Partial<ImportDeps>;
}

/** Imports into an account of its own: tests of one file do not meet each other's lines. */
export async function openBench(database: Database, accountName: string): Promise<ImportBench> {
  const [account] = await database.query<{ id: number; name: string }>(
    `insert into tieout.accounts (name, base_url, sync_start)
     values ($1, 'http://127.0.0.1', '2026-01-01')
     returning id, name`,
    [accountName],
  );
  if (!account) throw new Error("the account was just written");
  const run =
    (take: typeof importStatement) =>
    (name: string, content: string | Buffer, given: Partial<TestRequest> = {}) => {
      const { profiles = builtInProfiles, deps = {}, ...request } = given;
      return take({ database, profiles, ...deps }, textSource(name, content), {
        account,
        provider: null,
        profileName: null,
        generatedAt: null,
        periodFrom: null,
        periodTo: null,
        replaces: null,
        acceptReason: null,
        actor: "test",
        ...request,
      });
    };
  return { import: run(importStatement), preview: run(previewStatement) };
}

/** A small profile of our own: what a test is not about stays as short as possible. */
export function aProfile(changes: Partial<ProfileSource> = {}): Profile {
  return profileSchema.parse({
    name: "test",
    version: 1,
    provider: "testpay",
    columns: {
      provider_transaction_id: "id",
      status: "status",
      fiat_currency: "currency",
      fiat_amount: "amount",
      effective_at: "time",
    },
    required: ["provider_transaction_id", "fiat_currency", "fiat_amount", "effective_at"],
    statuses: { any: { done: "settled" } },
    identity: { mode: "unique", columns: ["line_type", "provider_transaction_id"] },
    ...changes,
  });
}

/** The lines that count, as a bookkeeper would list them. */
export async function linesInForce(database: Database, account: string): Promise<Record<string, unknown>[]> {
  return database.query(
    `select *
     from reporting.statement_lines
     where account = $1
       and is_current
       and in_force
     order by line_key, occurrence`,
    [account],
  );
}

export const nothing = { statements: 0, lines: 0, rows: 0, files: 0, audited: 0 };

/** How much there is of everything that an import writes. */
export async function rowsInTables(database: Database): Promise<unknown> {
  const [counts] = await database.query(
    `select (select count(*)::int from tieout.statements) as statements,
            (select count(*)::int from tieout.statement_lines) as lines,
            (select count(*)::int from tieout.statement_rows) as rows,
            (select count(*)::int from tieout.statement_files) as files,
            (select count(*)::int from tieout.audit_log) as audited`,
  );
  return counts;
}
