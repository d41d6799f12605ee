import {
  type FieldType,
  type RecordColumn,
  type RecordField,
  recordFields,
} from "../../core/record-fields.ts";

export const postgresTypes: Record<FieldType, string> = {
  text: "text",
  instant: "timestamptz",
  decimal: "numeric",
  json: "jsonb",
  sha256: "bytea",
  smallint: "smallint",
};

/** Everything but small numbers is read as text: parsing would round long numbers in JSON, and a `Date` drops microseconds. */
type ReadValue<Type extends FieldType> = Type extends "smallint" ? number : string;

type Field = (typeof recordFields)[RecordField];

/** What both tables keep of a record, as `selectRecord` reads it. */
export type KeptRecord = {
  [One in Field as One["column"]]: One["required"] extends true
    ? ReadValue<One["type"]>
    : ReadValue<One["type"]> | null;
};

/** The same with its account, as the API reads it. */
export interface RecordRow extends KeptRecord {
  account_id: number;
  account: string;
  first_seen_at: string;
}

/** The columns of a record in a select list, the database's own text of each; hashes in hex. */
export function selectRecord(table: string): string {
  const columns = Object.values(recordFields).map((field) => select(table, field));
  return inLines(7, columns);
}

export function selectRecordRow(table: string): string {
  return `${table}.account_id, ${accountName(table)},
       ${selectRecord(table)},
       ${table}.first_seen_at::text`;
}

function select(table: string, { column, type }: { column: RecordColumn; type: FieldType }): string {
  if (type === "sha256") return `encode(${table}.${column}, 'hex') as ${column}`;
  return type === "instant" || type === "json" ? `${table}.${column}::text` : `${table}.${column}`;
}

export function columnsOf(table: string, columns: readonly string[]): string[] {
  return columns.map((column) => `${table}.${column}`);
}

/** A list in SQL, broken into lines and indented to fit its statement: people read these, and paste them into psql. */
export function inLines(indent: number, parts: readonly string[]): string {
  const lines = [""];
  for (const [at, part] of parts.entries()) {
    const written = at < parts.length - 1 ? `${part}, ` : part;
    const line = lines.at(-1) ?? "";
    if (line.length + written.length > 100) lines.push(written);
    else lines.splice(-1, 1, line + written);
  }
  return lines.map((line) => line.trimEnd()).join(`\n${" ".repeat(indent)}`);
}

/** A look-up in the select list rather than a join: it cannot tempt the planner away from the order of the index. */
export function accountName(table: string): string {
  return `(select a.name from tieout.accounts as a where a.id = ${table}.account_id) as account`;
}

/** What `tieout.names_of` takes of a row. */
export const namesOf = (row: string) =>
  [
    "transaction_id",
    "provider_transaction_id",
    "extra ->> 'partnerContext'",
    "transaction_hash",
    "wallet_address",
  ]
    .map((column) => `${row}.${column}`)
    .join(", ");
