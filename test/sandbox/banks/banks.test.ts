import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { banks } from "../../../src/sandbox/banks/banks.ts";
import { bankCaseNames, bankCases } from "../../../src/sandbox/banks/cases.ts";
import { bankRoutes } from "../../../src/sandbox/banks/routes.ts";
import type { SandboxEnv } from "../../../src/sandbox/context.ts";
import { RefusedError, refusalStatus } from "../../../src/sandbox/refusal.ts";
import { aLedger, world } from "../ledger/a-ledger.ts";
import { depsOf } from "../transactions/some-answers.ts";

const ledger = aLedger({ transactions: 1500 });
const headers = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };
const app = new OpenAPIHono<SandboxEnv>();
app.onError((error, c) =>
  error instanceof RefusedError
    ? c.text(error.message, refusalStatus(error.type))
    : c.text(String(error.stack), 500),
);
app.route("/", bankRoutes({ world, ...depsOf(ledger, { dialect: "currency=id" }) }));

interface Truth {
  bookings: number;
  cases: { case: string; codes: string[]; lines: number[]; payoutIds: string[] }[];
  pays: { line: number; payouts: string[] }[];
}

async function get(path: string): Promise<string> {
  return (await app.request(path, { headers })).text();
}

/** The payouts of May are paid in June; those that are late, in July. */
async function read(bank: (typeof banks)[number], rates: string, month = "2024-06") {
  const query = `?rates=${encodeURIComponent(rates)}&statement_rates=`;
  const text = await get(`/sandbox/banks/${bank.id}/${month}.${bank.extension}${query}`);
  const truth = JSON.parse(await get(`/sandbox/banks/${bank.id}/${month}.truth.json${query}`)) as Truth;
  return { lines: text.split("\n"), truth };
}

const [hansebank] = banks;

describe.each(banks.filter(({ format }) => format !== "chain_csv"))("$name", (bank) => {
  test("pays every payout once when nothing goes wrong, and the truth says on which line", async () => {
    const { lines, truth } = await read(bank, "");
    expect(truth.cases).toEqual([]);
    expect(truth.pays.length).toBeGreaterThan(3);
    const paid = truth.pays.flatMap(({ payouts }) => payouts);
    expect(new Set(paid).size).toBe(paid.length);
    const start = { camt053: /^<Ntry>/, mt940: /^:61:/, csv: /^\d\d\/\d\d\/2024,/, chain_csv: /^0x/ }[
      bank.format
    ];
    for (const { line } of truth.pays) expect(lines[line - 1]).toMatch(start);
  });

  test("writes the same file again", async () => {
    expect(await read(bank, "all=0.05")).toEqual(await read(bank, "all=0.05"));
  });
});

test("each month begins with what the one before it has ended with", async () => {
  if (hansebank === undefined) throw new Error("there is no bank");
  const closed = new Map<string, string>();
  const continued: string[] = [];
  for (const month of ["2024-06", "2024-07"]) {
    const { lines } = await read(hansebank, "all=0.05", month);
    for (const { account, opening, closing } of balancesOf(lines.join("\n"))) {
      if (closed.has(account)) continued.push(account);
      expect({ month, account, opening }).toEqual({
        month,
        account,
        opening: closed.get(account) ?? opening,
      });
      closed.set(account, closing);
    }
  }
  expect(continued.length).toBeGreaterThan(20);
});

function balancesOf(camt: string): { account: string; opening: string; closing: string }[] {
  return camt
    .split("<Stmt>")
    .slice(1)
    .map((statement) => ({
      account: /<Ccy>(\w+)<\/Ccy>/.exec(statement)?.[1] ?? "",
      opening: amountOf("OPBD", statement),
      closing: amountOf("CLBD", statement),
    }));
}

function amountOf(code: string, statement: string): string {
  const found = new RegExp(`<Cd>${code}</Cd>.*?<Amt[^>]*>([^<]+)</Amt>`, "s").exec(statement);
  if (found?.[1] === undefined) throw new Error(`a statement has no ${code}`);
  return found[1];
}

describe("planted cases", () => {
  const always = bankCaseNames.filter((name) => name !== "paid_late");

  test.each(always)("%s is planted and named", async (name) => {
    if (hansebank === undefined) throw new Error("there is no bank");
    const { truth } = await read(hansebank, `${name}=1`);
    const planted = truth.cases.filter((each) => each.case === name);
    expect(planted.length).toBeGreaterThan(3);
    for (const each of planted) expect(each.codes).toEqual(bankCases[name].codes);
  });

  test("what is late is in the file of the month in which it comes", async () => {
    if (hansebank === undefined) throw new Error("there is no bank");
    expect((await read(hansebank, "paid_late=1")).truth.pays.length).toBeGreaterThan(0);
    const onTime = await read(hansebank, "");
    const late = await read(hansebank, "paid_late=1", "2024-07");
    const payouts = ({ truth }: typeof late) => new Set(truth.pays.flatMap((each) => each.payouts));
    const wanted = [...payouts(onTime)].filter((payout) => payout.includes("2024-05"));
    expect(wanted.filter((payout) => !payouts(late).has(payout))).toEqual([]);
  });
});

test("a wallet is paid in a coin, by whose statements say so", async () => {
  const path = "/sandbox/banks/wallet/2024-06.csv";
  expect(await get(`${path}?provider=transak&layout=hansa`)).toContain("one of units");
  const text = await get(`${path}?provider=transak&layout=units&rates=`);
  expect(text).toMatch(/^0x[0-9a-f]{64},2024-06-2[56]T00:00:00\.000Z,\w+,in,[\d.]+,USDC,Transak$/m);
});

test("what there is not is refused, with the way to what there is", async () => {
  const response = await app.request("/sandbox/banks/hansebank/2024-06.pdf", { headers });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("GET /sandbox/banks lists them");
  const rates = await app.request("/sandbox/banks/hansebank/2024-06.xml?rates=nothing=1", { headers });
  expect(rates.status).toBe(400);
  expect((await app.request("/sandbox/banks")).status).toBe(401);
});
