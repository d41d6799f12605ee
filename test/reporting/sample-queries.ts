import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export const queriesDir = "docs/queries";

export interface SampleQuery {
  /** `01-transaction-history` */
  name: string;
  text: string;
  question: string;
  grain: string;
  /** As the header names them, in order. */
  columns: string[];
}

export async function readSampleQueries(): Promise<SampleQuery[]> {
  const files = (await readdir(queriesDir)).filter((file) => file.endsWith(".sql")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(queriesDir, file), "utf8");
      return {
        name: file.replace(/\.sql$/, ""),
        text,
        question: /^-- Question: (.+)$/m.exec(text)?.[1] ?? "",
        grain: /^-- Grain: (.+)$/m.exec(text)?.[1] ?? "",
        columns: [...text.matchAll(/^-- {3}([a-z_0-9, ]+): /gm)].flatMap(
          ([, names]) => names?.split(", ") ?? [],
        ),
      };
    }),
  );
}

/** The table of contents beside the queries. */
export function describeQueries(queries: readonly SampleQuery[]): string {
  const rows = queries.map(
    ({ name, question, grain }) =>
      `| [${name}](${name}.sql) | ${question} | ${grain} | [output](${name}.expected.txt) |`,
  );
  return `${introduction}
| Query | Question | Grain | |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

const introduction = `# Sample queries

Questions that people really ask about transactions and reconciliation, answered from the schema \`reporting\`
([its views and columns](../data-dictionary.md)). A test runs each over the same eight days of data, with two statements
imported and the clock at 2026-03-08 12:00 UTC. The output is committed beside the query, so a changed figure shows as a diff. [reconciliation.md](../reconciliation.md) explains the terms.

The role \`tieout_reader\` can read this schema and nothing else, in read-only transactions of at most 60 seconds per statement. It cannot
log in until someone gives it a password:

\`\`\`sql
alter role tieout_reader login password '…';
\`\`\`

If the migration may not create roles, it goes on without this one; then an administrator runs
\`create role tieout_reader; select tieout.admit_reader();\` once in the database.

Times are UTC. Amounts are exact, with their currency in a column beside them: never add amounts in different currencies. Filters on
\`status_date\`, \`last_changed_at\`, \`transaction_hash\`, \`provider_transaction_id\` and the \`day\` of
\`daily_summary\` use an index.
`;
