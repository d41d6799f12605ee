import { plainAccount } from "../../../src/sandbox/accounts/account.ts";
import { createKeyRing } from "../../../src/sandbox/accounts/key-ring.ts";
import { createPace } from "../../../src/sandbox/accounts/pace.ts";
import type { Switches } from "../../../src/sandbox/switches.ts";
import { createAnswers, type Answers } from "../../../src/sandbox/transactions/answers.ts";
import { parseDialect } from "../../../src/sandbox/transactions/dialect.ts";
import { bodyText, type Answer } from "../../../src/sandbox/trouble/tamper.ts";
import { parseAllFaults } from "../../../src/sandbox/trouble/trouble.ts";
import type { Ledger } from "../../../src/sandbox/ledger/ledger.ts";
import { afterAllMs, aLedger } from "../ledger/a-ledger.ts";

export interface Setup {
  readonly ledger?: Ledger;
  readonly dialect?: string;
  readonly faults?: string;
  readonly now?: () => number;
}

/** What the routes of one account's ledger need. */
export function depsOf(ledger: Ledger, { dialect = "", faults = "", now = () => afterAllMs }: Setup = {}) {
  const switches: Switches = { dialect: parseDialect(dialect), ...parseAllFaults(faults) };
  const credentials = { apiKey: "pk_sandbox", apiSecret: "sk_sandbox" };
  return {
    books: { of: () => ledger, seedOf: () => "tests" },
    seed: "tests",
    accounts: createKeyRing([plainAccount("default", credentials)]),
    pace: createPace(),
    switches,
    now,
  };
}

export function setUp({ ledger = aLedger(), ...setup }: Setup = {}) {
  const deps = depsOf(ledger, setup);
  return { ledger, switches: deps.switches, answers: createAnswers(deps) };
}

/** An answer whose body is a text. */
export type TextAnswer = Answer & { readonly body: string };

export function ask(answers: Answers, query: Record<string, string> = {}): TextAnswer {
  return inText(answers.list({ ...authorised, query: new URLSearchParams(query).toString() }));
}

export function inText(answer: Answer): TextAnswer {
  return { ...answer, body: bodyText(answer) };
}

export const authorised = { authorization: "pk_sandbox", serviceSecret: "sk_sandbox" };

export interface Page {
  readonly transactions: Record<string, unknown>[];
  readonly limit: number;
  readonly cursor?: string | null;
}

export function pageOf(answer: TextAnswer): Page {
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
