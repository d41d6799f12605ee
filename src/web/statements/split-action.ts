import { counted } from "../../core/counted.ts";
import {
  compareDecimals,
  type Decimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
  zero,
} from "../../core/decimal.ts";
import { problem } from "../../api/problem.ts";
import { listPartsEndedWith } from "../../store/books/match-reads.ts";
import { readLine } from "../../store/statements/statement-rows.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { bookedAtOf, textOf } from "../form-text.ts";
import { leaveNotice, type Undo } from "../notice.ts";
import { amountOfLine, typedRows } from "./split-form.tsx";

interface PartTyped {
  transaction_id: string;
  amount?: Decimal;
}

/** Splits a line as the form says, and leaves the way back. */
export async function splitByForm(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  form: FormData,
  { lineId, reason }: { lineId: string; reason: string },
): Promise<void> {
  const again = textOf(form, "again");
  const parts = again === "" ? readParts(form) : await partsOfEnded(visitor, lineId, again);
  await refuseRest(visitor, lineId, parts, again !== "" || textOf(form, "leave_rest") === "on");
  const made = await askApi<{ matches: { id: string; line: { line_no: number } }[] }>(
    web,
    c,
    visitor,
    "/v1/matches/split",
    { json: { line: `lin_${lineId}`, parts, reason, ...bookedAtOf(form) } },
  );
  const [first] = made.matches;
  leaveNotice(
    c,
    `Line ${first?.line.line_no} is split over ${counted(made.matches.length, "transaction")}.`,
    {
      action: "/statements/lines/unmatch",
      fields: { match: first?.id.replace("mat_", "") ?? "", reason: "undone" },
    },
  );
}

/** The form that makes a split again. It names one of the ended parts: all of them would not fit into the notice's cookie. */
export function splitAgain({ lineId, matchId }: { lineId: string; matchId: string }): Undo {
  const reason = "split again after it was undone by mistake";
  return { action: "/statements/lines/split", fields: { line: lineId, again: matchId, reason } };
}

async function partsOfEnded(visitor: Visitor, lineId: string, matchId: string): Promise<PartTyped[]> {
  const ended = /^\d{1,15}$/.test(matchId) ? await listPartsEndedWith(visitor.reader, Number(matchId)) : [];
  const parts = ended.filter((part) => String(part.lineId) === lineId);
  if (parts.length === 0) throw problem("not_found", "There is no such split of this line to make again.");
  return parts.map(({ transactionId, partAmount }) => partOf(transactionId, partAmount ?? ""));
}

function readParts(form: FormData): PartTyped[] {
  const ticked = [...form.keys()].flatMap((name) =>
    name.startsWith("take:") ? [name.slice("take:".length)] : [],
  );
  const typed = typedRows.map((number) => ({
    id: textOf(form, `other-${number}`),
    amount: textOf(form, `other-amount-${number}`),
  }));
  const rows = [...ticked.map((id) => ({ id, amount: textOf(form, `amount:${id}`) })), ...typed];
  const parts = rows.filter(({ id }) => id !== "").map(({ id, amount }) => partOf(id, amount));
  if (parts.length < 2)
    throw problem("invalid_parameter", "Tick two transactions or more, or type their ids.");
  return parts;
}

function partOf(id: string, text: string): PartTyped {
  if (text === "") return { transaction_id: id };
  const amount = parseDecimal(text);
  if (amount === null || compareDecimals(amount, zero) <= 0) {
    throw problem(
      "invalid_parameter",
      `“${text.slice(0, 40)}” is not an amount above zero for ${id}: write it like 60.10.`,
    );
  }
  return { transaction_id: id, amount };
}

/** A rest is left on purpose only. Too much is refused by the API. */
async function refuseRest(
  visitor: Visitor,
  lineId: string,
  parts: readonly PartTyped[],
  isWanted: boolean,
): Promise<void> {
  if (isWanted || parts.some(({ amount }) => amount === undefined)) return;
  const line = await readLine(visitor.reader, Number(lineId));
  const amount = line === null ? null : amountOfLine(line);
  if (line === null || amount === null) return;
  const rest = subtractDecimals(amount, sumDecimals(parts.flatMap((part) => part.amount ?? [])));
  if (compareDecimals(rest, zero) > 0) {
    throw problem(
      "invalid_parameter",
      `${rest} ${line.fiatCurrency} of the line are left: give them to a transaction, leave one amount empty, or tick that the rest stays open.`,
    );
  }
}
