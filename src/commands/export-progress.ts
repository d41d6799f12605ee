import { counted } from "../core/counted.ts";
import { SECOND } from "../core/duration.ts";
import type { Database } from "../store/database.ts";
import { copiedRows } from "../store/exports/export-runs.ts";
import type { CommandContext } from "./context.ts";
import { plainIntervalMs, showLine } from "./terminal-line.ts";

const barWidth = 24;
const terminalIntervalMs = 200;

/** Shows how far a COPY has come, as its server says: a bar on a terminal, a line every few seconds otherwise. */
export function showExport(
  { now, say }: Pick<CommandContext, "now" | "say">,
  database: Database,
  { report, pid }: { report: string; pid: number },
): { counted: (rows: number) => void; end: () => Promise<void> } {
  const terminal = process.stderr.isTTY;
  const begunMs = now();
  let total: number | null = null;
  let showing = Promise.resolve();
  async function show(): Promise<void> {
    // Progress is a courtesy: when it cannot be had, the export goes on.
    const rows = await copiedRows(database, pid).catch(() => null);
    if (rows === null || total === null || total === 0) return;
    const share = Math.min(1, rows / total);
    const filled = Math.round(share * barWidth);
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    const perSecond = Math.round((rows / Math.max(1, now() - begunMs)) * SECOND);
    const text = `${report} ${bar} ${Math.floor(share * 100)} %, ${rows} of ${counted(total, "row")}, ${perSecond} rows/s`;
    if (terminal) showLine(text);
    else say(text);
  }
  const timer = setInterval(
    () => {
      showing = showing.then(show);
    },
    terminal ? terminalIntervalMs : plainIntervalMs,
  );
  return {
    counted: (rows) => {
      total = rows;
    },
    end: async () => {
      clearInterval(timer);
      await showing;
      if (terminal) showLine("");
    },
  };
}
