import { basename } from "node:path";
import { counted } from "../core/counted.ts";
import { usageError } from "../core/errors.ts";
import { instantAt, notATime, parseDayOrInstant } from "../core/period.ts";
import { utc } from "../core/zone.ts";
import { isoTime } from "../api/present.ts";
import { feeSchedule, presentWhole } from "../api/fee-schedules/schema.ts";
import { importFeeSchedule, presentFeeTerm, readFeeFile } from "../reconcile/fees/fee-schedule.ts";
import { readText } from "../reconcile/read-text.ts";
import {
  type FeeSchedule,
  listFeeSchedules,
  readFeeSchedule,
  unknownMethods,
} from "../store/fees/fee-schedules.ts";
import type { CommandContext } from "./context.ts";
import { readGiven } from "./given-file.ts";
import { actorName } from "./actor-name.ts";
import { answer, answerTable, writeOut } from "./write-out.ts";
import { chooseAccount } from "./choose-account.ts";
import { withExistingStore, withStore } from "./with-store.ts";
import { table } from "./statement-table.ts";

interface FeesFlags {
  json: boolean;
}

interface ImportFeesFlags extends FeesFlags {
  provider?: string;
  from?: string;
  reason: string;
  account?: string;
  preview: boolean;
}

export async function importFeesCommand(
  context: CommandContext,
  path: string,
  flags: ImportFeesFlags,
): Promise<void> {
  if (flags.reason.trim() === "") throw usageError("--reason: say why it is imported");
  const fileName = basename(path);
  const file = readFeeFile(
    readText(await readGiven(path), fileName, { code: "fees_invalid", takesJson: true }),
    fileName,
  );
  const provider = (flags.provider ?? file.provider ?? "").toLowerCase();
  if (!/^[a-z0-9_.-]{1,60}$/.test(provider))
    throw usageError("--provider: say which, such as moonpay; the file does not");
  const validFrom = momentOf(flags.from ?? file.valid_from);
  const { terms } = file;
  if (flags.preview) {
    context.say(
      `${fileName}: ${counted(terms.length, "term")} for ${provider} from ${dayOrTime(validFrom)}. Nothing was written.`,
    );
    answer(flags, terms, termsTable(terms));
    return;
  }
  await withStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const author = { fileName, reason: flags.reason, actor: actorName() };
    const { id } = await importFeeSchedule(database, { account, provider, validFrom, terms, ...author });
    const saved = await readFeeSchedule(database, { accountIds: null, id });
    if (flags.json && saved) writeOut(`${JSON.stringify(presentWhole(saved))}\n`);
    else if (saved) {
      context.say(`Imported: ${describe(saved)}, ${counted(terms.length, "term")}.`);
      if (saved.unknownPaymentMethods.length > 0) context.say(`Warning: ${unknownMethods(saved)}`);
    }
  });
}

export async function listFeesCommand(
  context: CommandContext,
  flags: FeesFlags & { provider?: string },
): Promise<void> {
  await withExistingStore(context, async ({ database }) => {
    const asked = flags.provider === undefined ? {} : { provider: flags.provider };
    const found = await listFeeSchedules(database, { accountIds: null, ...asked });
    const rows = found.map((each) => [
      `fee_${each.id}`,
      each.account,
      each.provider,
      String(each.version),
      dayOrTime(each.validFrom),
      each.fileName ?? "",
      each.reason,
    ]);
    const header = ["id", "account", "provider", "version", "valid from", "file", "reason"];
    answerTable(context, flags, {
      values: found.map((each) => feeSchedule.present(each)),
      text: table(header, rows),
      none:
        flags.provider === undefined
          ? "There are no fee schedules yet: tieout fees import reads one."
          : `There is no fee schedule of ${flags.provider}: tieout fees import reads one.`,
    });
  });
}

export async function showFeesCommand(context: CommandContext, id: string, flags: FeesFlags): Promise<void> {
  const number = Number(/^(?:fee_)?(\d{1,15})$/.exec(id)?.[1] ?? "0");
  await withExistingStore(context, async ({ database }) => {
    const found = await readFeeSchedule(database, { accountIds: null, id: number });
    if (found === null) throw usageError(`there is no fee schedule ${id}: see tieout fees list`);
    const lines = [describe(found), termsTable(found.terms.map(presentFeeTerm))];
    if (found.unknownPaymentMethods.length > 0) lines.push(unknownMethods(found));
    answer(flags, presentWhole(found), lines.join("\n"));
  });
}

function momentOf(text: string | undefined): string {
  if (text === undefined) throw usageError("--from: say from when on it is valid; the file does not");
  const parsed = parseDayOrInstant(text);
  if (parsed === null) throw usageError(`--from: ${notATime(text)}`);
  return instantAt(parsed, utc);
}

/** The database's text of a time, or ours; a day where it is the beginning of one. */
function dayOrTime(text: string): string {
  return isoTime(text).replace("T00:00:00.000Z", "");
}

function describe({ id, provider, version, validFrom, reason }: FeeSchedule): string {
  return `fee_${id}: ${provider}, version ${version}, from ${dayOrTime(validFrom)} (${reason})`;
}

function termsTable(terms: readonly ReturnType<typeof presentFeeTerm>[]): string {
  return table(
    ["kind", "side", "payment method", "currency", "over", "flat", "percent", "minimum", "maximum", "capped"],
    terms.map((term) => [
      term.kind,
      term.side ?? "",
      term.payment_method ?? "",
      term.currency ?? "",
      term.over,
      term.flat,
      term.percent,
      term.minimum ?? "",
      term.maximum ?? "",
      term.capped_by_fee ? "by the fee" : "",
    ]),
  );
}
