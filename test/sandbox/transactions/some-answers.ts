import { createAnswers, type Answer, type Answers } from "../../../src/sandbox/transactions/answers.ts";
import { parseDialect } from "../../../src/sandbox/transactions/dialect.ts";
import { parseFaults, type Switches } from "../../../src/sandbox/transactions/faults.ts";
import type { Ledger } from "../../../src/sandbox/ledger/ledger.ts";
import { afterAllMs, aLedger } from "../ledger/a-ledger.ts";

export interface Setup {
  readonly ledger?: Ledger;
  readonly dialect?: string;
  readonly faults?: string;
  readonly now?: () => number;
}

const credentials = { apiKey: "pk_sandbox", apiSecret: "sk_sandbox" };

export function setUp({ ledger = aLedger(), dialect = "", faults = "", now = () => afterAllMs }: Setup = {}) {
  const switches: Switches = { dialect: parseDialect(dialect), faults: parseFaults(faults) };
  const answers = createAnswers({ ledger, seed: "tests", credentials, switches, now });
  return { ledger, switches, answers };
}

export function ask(answers: Answers, query: Record<string, string> = {}): Answer {
  return answers.list({ ...authorised, query: new URLSearchParams(query).toString() });
}

export const authorised = { authorization: "pk_sandbox", serviceSecret: "sk_sandbox" };

export interface Page {
  readonly transactions: Record<string, unknown>[];
  readonly limit: number;
  readonly cursor?: string | null;
}

export function pageOf(answer: Answer): Page {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as Page;
}

const pagesMax = 5000;

/** Reads a listing to its end as a careful reader does; the records keep the text of their numbers. */
export function readAll(answers: Answers, query: Record<string, string> = {}): Page[] {
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  const seen = new Set<string>();
  do {
    const page = pageOf(ask(answers, cursor ? { ...query, cursor } : query));
    pages.push(page);
    if (pages.length > pagesMax) throw new Error("the listing does not end");
    if (page.cursor && page.cursor === cursor && page.transactions.length === 0) break;
    if (page.cursor && seen.has(page.cursor)) throw new Error("cursor loop");
    if (page.cursor) seen.add(page.cursor);
    cursor = page.cursor;
  } while (cursor);
  return pages;
}

export function keysOf(pages: readonly Page[]): string[] {
  return pages.flatMap(({ transactions }) => transactions.map((record) => JSON.stringify(record)));
}
