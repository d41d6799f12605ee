import type { Queryable } from "../../src/store/database.ts";
import {
  type Column,
  readColumns,
  readReferences,
  readRelations,
  readSchemas,
  type Reference,
  type Relation,
  type Schema,
} from "./database-catalogue.ts";

/** The dictionary of both schemas, as Markdown, from nothing but the database's own catalogue. */
export async function makeDataDictionary(database: Queryable): Promise<string> {
  const schemas = await readSchemas(database);
  const relations = await readRelations(database);
  const columns = await readColumns(database);
  const references = await readReferences(database);
  const parts = schemas.map((schema) =>
    describeSchema(
      schema,
      relations.filter((relation) => relation.schema === schema.name),
      columns,
    ),
  );
  return [introduction, ...parts, describeReferences(references, columns)].join("\n");
}

const introduction = `# Data dictionary

Made from the comments in the database itself; a test compares the two. To change a sentence, write a migration with a
new comment and run \`UPDATE_DOCS=1 npx vitest run test/reporting\`.

Questions are answered by the views of \`reporting\`, which are a contract; [sample queries](queries/README.md) show how.
The tables of \`tieout\` are how it works inside, and may change.
`;

function describeSchema(schema: Schema, relations: Relation[], columns: Column[]): string {
  const contents = relations.map(
    ({ name, comment }) => `| [${name}](#${anchor(schema.name, name)}) | ${cell(firstSentence(comment))} |`,
  );
  const parts = relations.map((relation) =>
    describeRelation(
      relation,
      columns.filter((column) => column.schema === relation.schema && column.relation === relation.name),
    ),
  );
  return [
    `## Schema \`${schema.name}\`\n\n${schema.comment}\n`,
    `| | |\n| --- | --- |\n${contents.join("\n")}\n`,
    ...parts,
  ].join("\n");
}

function describeRelation(relation: Relation, columns: Column[]): string {
  const key = relation.key.length > 0 ? `Key: ${relation.key.map(code).join(", ")}.` : "";
  const sources = relation.sources.length > 0 ? `Reads ${relation.sources.map(code).join(", ")}.` : "";
  const rows = columns.map(
    ({ name, type, nullable, comment }) =>
      `| ${code(name)} | ${type}${nullable || relation.kind === "view" ? "" : ", not null"} | ${cell(comment)} |`,
  );
  return `### ${relation.schema}.${relation.name}

${[relation.comment, key, sources].filter(Boolean).join("\n")}

| Column | Type | Meaning |
| --- | --- | --- |
${rows.join("\n")}
`;
}

/** Names that stand for a row elsewhere even where no foreign key says so: the largest tables go without. */
const byName: Readonly<Record<string, string>> = {
  account_id: "accounts",
  window_id: "sync_windows",
  transaction_id: "transactions",
};

function describeReferences(references: Reference[], columns: Column[]): string {
  const tables = new Set(columns.filter(({ schema }) => schema === "tieout").map(({ relation }) => relation));
  const enforced = new Set(references.map(({ from, column }) => `${from}.${column}`));
  const implied = columns
    .filter(({ schema, relation, name }) => schema === "tieout" && !enforced.has(`${relation}.${name}`))
    .flatMap(({ relation, name }) => {
      const to = byName[name];
      return to && to !== relation && tables.has(to) ? [`  ${to} ||..o{ ${relation} : "${name}"`] : [];
    });
  const lines = references.map(({ from, to, column }) => `  ${to} ||--o{ ${from} : "${column}"`);
  return `## How the tables hang together

A solid line is a foreign key; a dotted one goes by the name of the column, because a check for every row of the largest
tables would cost more than it finds.

\`\`\`mermaid
erDiagram
${[...lines, ...implied].toSorted().join("\n")}
\`\`\`
`;
}

function firstSentence(text: string): string {
  return /^.*?[.?](?=\s|$)/.exec(text)?.[0] ?? text;
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

function anchor(schema: string, name: string): string {
  return `${schema}${name}`.toLowerCase();
}
