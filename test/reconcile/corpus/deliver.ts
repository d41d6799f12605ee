import { monthOf } from "../../../src/core/period.ts";
import { utc } from "../../../src/core/zone.ts";
import { importStatement } from "../../../src/reconcile/statement/import-statement.ts";
import type { Database } from "../../../src/store/database.ts";
import { wildProfiles } from "./wild-profiles.ts";

/** A file as it was sent, in the order of sending. */
export interface SentFile {
  readonly name: string;
  readonly lines: readonly string[];
  /** Whether a later one took its place. */
  withdrawn: boolean;
}

export interface Delivery {
  readonly database: Database;
  readonly account: { id: number; name: string };
  readonly sent: SentFile[];
}

export interface Written {
  readonly provider: string;
  readonly layout: string;
  readonly period: string;
  readonly name: string;
  readonly text: string;
}

/** Where the lines of the file as the sandbox wrote it stand in what was sent last. */
export type Placement = (line: number) => { file: string; line: number };

/** Sends a file the way its provider would: corrected, cut into overlapping parts, replaced, or in another encoding. */
export async function deliver(delivery: Delivery, written: Written): Promise<Placement> {
  const asWritten: Placement = (line) => ({ file: `${written.name}.csv`, line });
  switch (written.layout) {
    case "hansa":
      await send(delivery, written, { name: `${written.name}-draft`, lines: draftOf(written) });
      await send(delivery, written, {});
      return asWritten;
    case "ledgerly":
      return sendInParts(delivery, written);
    case "batch":
    case "slip": {
      const wrong = wrongOf(written);
      // A file of a few rows has nothing that could be wrong, and the same bytes are not imported twice.
      const isWrong = wrong.join("\n") !== linesOf(written.text).join("\n");
      const replaces = isWrong
        ? await send(delivery, written, { name: `${written.name}-wrong`, lines: wrong })
        : null;
      await send(delivery, written, { replaces });
      return asWritten;
    }
    default:
      await send(delivery, written, {});
      return asWritten;
  }
}

const linesOf = (text: string) => text.split("\n").slice(0, -1);

/** Made two days earlier, with rows missing and some amounts that were corrected since. */
function draftOf({ text }: Written): string[] {
  const all = linesOf(text);
  const at = all.findIndex((line) => line.startsWith("Auftrag;"));
  const isOrder = (line: string) => line.includes(";Umsatz;");
  const kept = all.flatMap((line, index) => {
    if (index <= at || !isOrder(line)) return [line];
    if (index % 7 === 0) return [];
    const cells = line.split(";");
    if (index % 11 === 0) cells[6] = "12,34";
    return [cells.join(";")];
  });
  const rows = kept.filter((line, index) => index > at && !/^(?:Anzahl Zeilen|Ende)/.test(line)).length;
  return kept.map((line) => {
    if (line.startsWith("Erstellt;")) return line.replace("-03T", "-01T");
    return line.startsWith("Anzahl Zeilen;") ? `Anzahl Zeilen;${rows}` : line;
  });
}

/** With a charge too few and one amount wrong: to be replaced as a whole. */
function wrongOf({ text, layout }: Written): string[] {
  const all = linesOf(text);
  const kept = all.filter((_, index) => index !== 2 || all.length < 6);
  const delimiter = layout === "batch" ? "," : ";";
  const amountAt = layout === "batch" ? 6 : 5;
  return kept.map((line, index) => {
    if (line.startsWith("EOF,")) return `EOF,${kept.length - 2}`;
    const cells = line.split(delimiter);
    if (index > 1 && index % 5 === 0 && line.includes("charge")) cells[amountAt] = "12.34";
    return cells.join(delimiter);
  });
}

/** Two files that share a fifth of the rows. */
async function sendInParts(delivery: Delivery, written: Written): Promise<Placement> {
  const [header = "", ...rows] = linesOf(written.text);
  const until = Math.ceil(rows.length * 0.6);
  const from = Math.floor(rows.length * 0.4);
  await send(delivery, written, { name: `${written.name}-a`, lines: [header, ...rows.slice(0, until)] });
  await send(delivery, written, { name: `${written.name}-b`, lines: [header, ...rows.slice(from)] });
  return (line) => {
    const row = line - 2;
    return row >= from
      ? { file: `${written.name}-b.csv`, line: row - from + 2 }
      : { file: `${written.name}-a.csv`, line };
  };
}

async function send(
  { database, account, sent }: Delivery,
  written: Written,
  { name = written.name, lines = linesOf(written.text), replaces = null }: SendOptions,
): Promise<number> {
  const text = `${lines.join("\n")}\n`;
  const bytes =
    written.layout === "units" ? Buffer.from(`\uFEFF${text}`, "utf16le") : Buffer.from(text, "utf8");
  const month = monthOf(written.period, utc);
  const { statement, rejects } = await importStatement(
    { database, profiles: wildProfiles },
    {
      name: `${name}.csv`,
      async *bytes() {
        yield bytes;
      },
    },
    {
      account,
      provider: written.provider,
      profileName: null,
      generatedAt: null,
      periodFrom: month?.from ?? null,
      periodTo: month?.to ?? null,
      replaces,
      acceptReason: null,
      actor: "corpus",
    },
  );
  if (statement.rowsRejected > 0) throw new Error(`${name}: ${JSON.stringify(rejects[0])}`);
  for (const file of sent)
    if (replaces !== null && file.name === `${written.name}-wrong.csv`) file.withdrawn = true;
  sent.push({ name: `${name}.csv`, lines, withdrawn: false });
  return statement.id;
}

interface SendOptions {
  name?: string;
  lines?: readonly string[];
  replaces?: number | null;
}
