import { createHash } from "node:crypto";
import { basename } from "node:path";
import { counted } from "../core/counted.ts";
import { usageError } from "../core/errors.ts";
import { bookedCode } from "../core/fiat.ts";
import { readText } from "../reconcile/read-text.ts";
import { readRates } from "../reconcile/rates/read-rates.ts";
import { listRates, saveRates } from "../store/fees/rates.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { readGiven } from "./given-file.ts";
import { answerTable, writeOut } from "./write-out.ts";
import { withExistingStore, withStore } from "./with-store.ts";
import { table } from "./statement-table.ts";

interface ListRatesFlags {
  base?: string;
  quote?: string;
  limit: string;
  json: boolean;
}

export async function importRatesCommand(
  context: CommandContext,
  path: string,
  flags: { json: boolean; accept?: string },
): Promise<void> {
  const bytes = await readGiven(path);
  const fileName = basename(path);
  const rates = readRates(readText(bytes, fileName, { code: "rates_invalid" }), fileName);
  await withStore(context, async ({ database }) => {
    const sha256 = createHash("sha256").update(bytes).digest();
    const acceptReason = flags.accept ?? null;
    const result = await saveRates(database, { rates, fileName, sha256, acceptReason, actor: actorName() });
    if (flags.json) writeOut(`${JSON.stringify(result)}\n`);
    else
      context.say(
        `${fileName}: ${counted(result.read, "rate")} read, ${result.added} of them new or changed.`,
      );
  });
}

export async function listRatesCommand(context: CommandContext, flags: ListRatesFlags): Promise<void> {
  const limit = /^[1-9]\d{0,5}$/.test(flags.limit) ? Number(flags.limit) : null;
  if (limit === null) throw usageError(`--limit: expected 1 to 999999, found ${JSON.stringify(flags.limit)}`);
  await withExistingStore(context, async ({ database }) => {
    const found = await listRates(database, {
      limit,
      ...(flags.base === undefined ? {} : { base: bookedCode(flags.base) }),
      ...(flags.quote === undefined ? {} : { quote: bookedCode(flags.quote) }),
    });
    const rows = found.map(({ day, base, quote, rate, source, fileName }) => [
      day,
      base,
      quote,
      rate,
      source,
      fileName,
    ]);
    const header = ["day", "base", "quote", "rate", "source", "file"];
    const isNarrowed = flags.base !== undefined || flags.quote !== undefined;
    const none = `There are no ${isNarrowed ? "such rates" : "rates yet"}: tieout rates import reads some.`;
    answerTable(context, flags, { values: found, text: table(header, rows), none });
  });
}
