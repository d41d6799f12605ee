import { stringify } from "yaml";
import type { Queryable } from "../../src/store/database.ts";
import { readColumns, readRelations } from "./database-catalogue.ts";

/** What holds of a view of `reporting`, whoever asks: dbt tests it, and so do we. */
export interface ViewRules {
  /** No two rows agree in all of these, and none is empty but those that may be. */
  readonly key: readonly string[];
  /** Of the key: what a record may have been sent without. */
  readonly mayBeEmpty?: readonly string[];
  /** Columns with a closed list of values; an empty one passes. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Columns that name a row of another view, by its one key. */
  readonly refersTo?: Readonly<Record<string, string>>;
}

const classes = ["matched", "pending", "discrepant", "excluded"];

export const viewRules: Readonly<Record<string, ViewRules>> = {
  daily_summary: {
    key: ["account", "day", "provider", "transaction_type", "status", "source_currency", "target_currency"],
    mayBeEmpty: ["provider", "transaction_type", "source_currency", "target_currency"],
  },
  data_freshness: { key: ["account"] },
  discrepancies: {
    key: ["discrepancy_id"],
    values: {
      level: ["error", "warning"],
      subject_kind: ["transaction", "line", "payout", "period", "receipt"],
      state: ["open", "investigating", "resolved", "written_off"],
    },
    refersTo: { line_id: "statement_lines", payout_id: "payouts" },
  },
  execution_quality: {
    key: ["account", "provider", "transaction_type", "source_currency", "target_currency", "payment_method"],
    mayBeEmpty: ["provider", "transaction_type", "source_currency", "target_currency", "payment_method"],
  },
  matches: {
    key: ["match_id"],
    values: { role: ["settles", "relates"], state: ["active", "suggested", "ended"] },
    refersTo: { line_id: "statement_lines" },
  },
  payouts: {
    key: ["payout_id"],
    values: {
      status: ["tied", "expected", "not_tied", "undeclared"],
      state: ["expected", "declared", "received", "short", "over", "overdue", "payable", "paid", "withdrawn"],
    },
  },
  periods: { key: ["account", "month"], values: { state: ["open", "prepared", "closed", "reopened"] } },
  quarantined_records: { key: ["account", "raw_hash"], refersTo: { window_id: "sync_windows" } },
  receipts: { key: ["receipt_line_id"], values: { direction: ["credit", "debit"] } },
  statement_lines: {
    key: ["line_id"],
    values: { side: ["buy", "sell"], class: classes },
    refersTo: { statement_id: "statements" },
  },
  statements: { key: ["statement_id"], values: { state: ["imported", "withdrawn"] } },
  sync_coverage: { key: ["account"] },
  sync_findings: {
    key: ["window_id", "account", "transaction_id", "finding"],
    values: { finding: ["appeared", "changed", "vanished", "returned"] },
    refersTo: { window_id: "sync_windows" },
  },
  sync_windows: {
    key: ["window_id"],
    values: { state: ["planned", "walking", "sealed", "split", "failed"] },
  },
  transaction_statuses: {
    key: ["account", "transaction_id", "record_hash"],
    refersTo: { window_id: "sync_windows" },
  },
  transactions: { key: ["account", "transaction_id"], values: { class: classes } },
};

type ColumnTest = string | Record<string, object>;

/** The views of `reporting` as a source of dbt, with descriptions and tests, from the database's own catalogue. */
export async function makeDbtSources(database: Queryable): Promise<string> {
  const relations = (await readRelations(database)).filter(({ schema }) => schema === "reporting");
  const columns = (await readColumns(database)).filter(({ schema }) => schema === "reporting");
  const tables = relations.map(({ name, comment }) => ({
    name,
    description: comment,
    columns: columns
      .filter(({ relation }) => relation === name)
      .map((column) => {
        const tests = testsOf(rulesOf(name), column.name);
        const { name: own, comment: description, type } = column;
        return {
          name: own,
          description,
          data_type: type,
          ...(tests.length > 0 ? { data_tests: tests } : {}),
        };
      }),
  }));
  const source = {
    name: "reporting",
    description: "What tieout shows to people who ask in SQL: views only, and a contract.",
    schema: "reporting",
    tables,
  };
  return `${madeOf}${stringify({ version: 2, sources: [source] }, { lineWidth: 0 })}`;
}

const madeOf = `# Made from the comments in the database; a test compares the two.
# To make it again: UPDATE_DOCS=1 npx vitest run test/reporting/dbt.test.ts
`;

export function rulesOf(view: string): ViewRules {
  const rules = viewRules[view];
  if (rules === undefined) throw new TypeError(`say in dbt-sources.ts what the key of reporting.${view} is`);
  return rules;
}

function testsOf({ key, mayBeEmpty, values, refersTo }: ViewRules, column: string): ColumnTest[] {
  const tests: ColumnTest[] = [];
  if (key.includes(column) && mayBeEmpty?.includes(column) !== true) tests.push("not_null");
  if (key.length === 1 && key[0] === column) tests.push("unique");
  const allowed = values?.[column];
  if (allowed !== undefined) tests.push({ accepted_values: { values: allowed } });
  const to = refersTo?.[column];
  if (to !== undefined) {
    const [field] = rulesOf(to).key;
    tests.push({ relationships: { to: `source('reporting', '${to}')`, field } });
  }
  return tests;
}

/** Tests of a whole view: a key of several columns, for which dbt has none of its own. By the name of the file. */
export function makeDbtTests(): ReadonlyMap<string, string> {
  const composite = Object.entries(viewRules).filter(([, { key }]) => key.length > 1);
  return new Map(
    composite.map(([view, { key }]) => [
      `${view}_are_unique.sql`,
      `-- Fails when two rows of reporting.${view} have one key.
select ${key.join(", ")}, count(*) as rows_with_this_key
from {{ source('reporting', '${view}') }}
group by ${key.join(", ")}
having count(*) > 1
`,
    ]),
  );
}
