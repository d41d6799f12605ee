import { askNothing, readAll } from "./read-all.ts";

/** What is read of a bank's file, in short: its lines, and why rows of it were rejected or passed over. */
export async function bookingsIn(text: string | Buffer, asked = askNothing) {
  const { rows, incoming, outcome, recognised } = await readAll(Buffer.from(text), { asked });
  return {
    lines: rows.flatMap((row) => (row.kind === "line" ? [row.line] : [])),
    rejected: rows.flatMap((row) => (row.kind === "rejected" ? [row.reason] : [])),
    skipped: rows.flatMap((row) => (row.kind === "skipped" ? [row.reason] : [])),
    keys: incoming.flatMap(({ line }) => (line ? [line.key] : [])),
    outcome,
    recognised,
  };
}
