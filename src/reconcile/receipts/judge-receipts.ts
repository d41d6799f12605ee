import { addDecimals } from "../../core/decimal.ts";
import type { FileRefusalCode } from "../../core/import-codes.ts";
import type { StatedBalance } from "../../store/schema/receipts.ts";
import type { FileProblem } from "../statement/refusal.ts";
import type { ReceiptOutcome } from "./read-receipts.ts";
import { addsUp, type StatementFacts } from "./reader.ts";

const namedMax = 5;

/**
 * What is wrong with a file as a whole: it is refused for it, unless a person accepts it with a reason. An account on
 * which nothing happened is a good statement; a file without a statement, or with rows and not one line, is none.
 */
export function judgeReceipts({ facts, rows, rejected }: ReceiptOutcome): FileProblem[] {
  const problems: FileProblem[] = [];
  const add = (code: FileRefusalCode, message: string) => problems.push({ code, message });
  const lines = facts.statements.reduce((sum, { lineCount }) => sum + lineCount, 0);
  const why = rejected.map(({ lineNo, reason }) => `line ${lineNo}: ${reason}`).join("; ");
  if (rows.read > 0 && lines === 0) add("file_without_lines", `none of its rows can be read; ${why}`);
  if (rows.read === 0 && facts.statements.every((each) => addsUp(each) === null)) {
    add("file_truncated", "it holds no booking, and no balances that say so: accept it with a reason");
  }
  if (facts.cutOff !== null) add("file_truncated", `${facts.cutOff}: download it again`);
  for (const problem of facts.problems.slice(0, namedMax)) add("control_total_mismatch", problem);
  const wrong = facts.statements.filter((each) => addsUp(each) === false);
  for (const statement of wrong.slice(0, namedMax)) {
    const { bankAccount, number, opening, sum, closing, currency } = statement;
    add(
      "control_total_mismatch",
      `${bankAccount}${number === null ? "" : `, statement ${number}`}: opening ${opening} + lines ${sum} = ` +
        `${addDecimals(opening ?? sum, sum)}, and the bank says ${closing} ${currency ?? ""}${why === "" ? "" : `; ${why}`}`,
    );
  }
  for (const gap of gapsBetween(facts.statements).slice(0, namedMax)) add("control_total_mismatch", gap);
  return problems;
}

/** Statements of one account follow each other, oldest first or newest first: where one is missing, so are its bookings. */
function gapsBetween(statements: readonly StatementFacts[]): string[] {
  const byAccount = new Map<string, StatementFacts[]>();
  for (const each of statements) {
    const key = `${each.bankAccount} ${each.currency ?? ""}`;
    const own = byAccount.get(key);
    if (own) own.push(each);
    else byAccount.set(key, [each]);
  }
  return [...byAccount.values()].flatMap((own) => {
    const isNewestFirst = (own[0]?.from ?? "") > (own.at(-1)?.from ?? "");
    const inOrder = isNewestFirst ? own.toReversed() : own;
    // Statements of one day may be in either order.
    return gapsIn(inOrder.toReversed()).length === 0 ? [] : gapsIn(inOrder);
  });
}

function gapsIn(statements: readonly StatementFacts[]): string[] {
  return statements.flatMap((next, at) => {
    const before = statements[at - 1];
    if (!before || before.closing === null || next.opening === null || before.closing === next.opening)
      return [];
    const between =
      before.number === null ? "" : ` between statements ${before.number} and ${next.number ?? ""}`;
    return [
      `${next.bankAccount}: one closes with ${before.closing} and the next opens with ${next.opening}: bookings${between} are missing`,
    ];
  });
}

/** `days`: of the lines, where the file does not state which days it covers. */
export function presentBalances(
  statements: readonly StatementFacts[],
  days: ReceiptOutcome["days"],
): StatedBalance[] {
  return statements.slice(0, balancesKeptMax).map((each) => ({
    bank_account: each.bankAccount,
    currency: each.currency,
    statement: each.number,
    from: each.from ?? days?.first ?? null,
    to: each.to ?? days?.last ?? null,
    opening: each.opening,
    lines: each.sum,
    line_count: each.lineCount,
    closing: each.closing,
    adds_up: addsUp(each),
  }));
}

const balancesKeptMax = 1_000;
