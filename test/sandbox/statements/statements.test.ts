import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { addDecimals, decimal, subtractDecimals, sumDecimals, zero } from "../../../src/core/decimal.ts";
import type { SandboxEnv } from "../../../src/sandbox/context.ts";
import type { SandboxRecord } from "../../../src/sandbox/record.ts";
import { RefusedError, refusalStatus } from "../../../src/sandbox/refusal.ts";
import { caseNames, parseRates, plantedCases } from "../../../src/sandbox/statements/cases.ts";
import { layoutOf } from "../../../src/sandbox/statements/layouts.ts";
import { statementRoutes } from "../../../src/sandbox/statements/routes.ts";
import { afterAllMs, aLedger, world } from "../ledger/a-ledger.ts";
import { depsOf } from "../transactions/some-answers.ts";

const count = 4000;
const ledger = aLedger({ transactions: count });
const view = ledger.at(afterAllMs, "bare");
const monthStart = Date.parse("2024-05-01T00:00:00Z");
const monthEnd = Date.parse("2024-06-01T00:00:00Z");
const completed = Array.from({ length: count }, (_, index) => ledger.history.rowsOfTransaction(index))
  .flat()
  .filter(({ index, step, dateMs }) => {
    const { delivered } = ledger.history.transactionOf(index).lifecycle;
    return step === delivered && dateMs >= monthStart && dateMs < monthEnd;
  })
  .map((row) => Object.assign({ index: row.index }, view.recordOf(row)));
const headers = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };
const app = anApp();

describe("a statement without planted cases", () => {
  test.each(world.providers.map(({ id }) => id))(
    "of %s has one charge for each completed order",
    async (provider) => {
      const { lines } = await read(provider, "");
      const ids = completed
        .filter(({ onramp }) => onramp === provider)
        .map((each) => each.onrampTransactionId);
      const charges = lines
        .filter((line) => kindOf(line) === "charge")
        .map((line) => Object.values(line)[0]!);
      expect(new Set(charges)).toEqual(new Set(ids));
      expect(charges).toHaveLength(ids.length);
      expect(ids.length).toBeGreaterThan(10);
    },
  );

  test("of MoonPay states amounts net of fees, which add up to what was paid", async () => {
    const { lines } = await read("moonpay", "");
    for (const { line, record } of pairs("moonpay", "id", lines)) {
      const sells = record.transactionType === "sell";
      const fees = ["feeAmount", "extraFeeAmount", "networkFeeAmount"].map((name) => decimal(line[name]!));
      const given = decimal(line["baseCurrencyAmount"]!);
      expect(sells ? given : addDecimals(given, sumDecimals(fees))).toBe(record.inAmount);
      expect(line["quoteCurrencyAmount"]).toBe(record.outAmount);
    }
  });

  test("of Transak is gross; on a sell the customer got gross less fees", async () => {
    const { lines } = await read("transak", "");
    for (const { line, record } of pairs("transak", "id", lines)) {
      const gross = decimal(line["fiatAmount"]!);
      const net = subtractDecimals(gross, decimal(line["totalFeeInFiat"]!));
      const [theirs, ours] =
        record.transactionType === "buy" ? [gross, record.inAmount] : [net, record.outAmount];
      expect(theirs).toBe(ours);
      expect(line["partnerOrderId"]).toBe(record.transactionId);
      expect(line["isBuyOrSell"]?.toLowerCase()).toBe(record.transactionType);
    }
  });

  test("of Ramp counts crypto in base units", async () => {
    const { lines } = await read("ramp", "");
    for (const { line, record } of pairs("ramp", "id", lines)) {
      const [asset, amount] =
        record.transactionType === "sell"
          ? [record.sourceCurrency, record.inAmount]
          : [record.targetCurrency, record.outAmount];
      const [whole = "", places = ""] = amount.split(".");
      expect(line["cryptoAmount"]).toBe(
        String(BigInt(whole + places.padEnd(world.assetById.get(asset)!.decimals, "0"))),
      );
    }
  });

  test("writes times as the provider does", async () => {
    expect((await firstLine("stripe"))["created"]).toMatch(/^\d{10}$/);
    expect((await firstLine("simplex"))["created_at"]).toMatch(/^\d{10}$/);
    expect((await firstLine("banxa"))["created_at"]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect((await firstLine("alchemypay"))["createTime"]).toMatch(/^\d{4}-\d\d-\d\d, \d\d:\d\d:\d\d$/);
    expect((await firstLine("moonpay"))["createdAt"]).toMatch(/^\d{4}-.*Z$/);
  });

  test("carries the record's hash, or the provider's word for none", async () => {
    const { lines } = await read("banxa", "");
    const all = pairs("banxa", "order_id", lines);
    expect(
      all.filter(({ line, record }) => line["transaction_hash"] !== record.transactionHash).length,
    ).toBeLessThan(all.length / 10);
    for (const { line, record } of all)
      expect(["0", record.transactionHash]).toContain(line["transaction_hash"]);
  });

  test("names only what the history itself brings about", async () => {
    const { truth } = await read("moonpay", "");
    for (const each of truth.cases) expect(each.case).toMatch(/_in_records$/);
  });
});

describe("planted cases", () => {
  const ofAccounts = new Set<string>(["payout_short", "balance_off", "commission_sum_off"]);

  test.each(caseNames.filter((name) => !ofAccounts.has(name)))("%s is planted and named", async (name) => {
    // Transak tells all fees in one sum: nobody sees when one of them is wrong.
    const provider = name === "fee_off" ? "moonpay" : "transak";
    // Few orders of a month are large enough for the agreed percentage.
    const { lines, truth } = await read(provider, `${name}=${name === "fee_off" ? 0.9 : 0.3}`);
    const clean = await read(provider, "");
    const planted = truth.cases.filter((each) => each.case === name);
    expect(planted.length).toBeGreaterThan(5);
    const touched = new Set(planted.flatMap((each) => each.lines));
    for (const each of planted) {
      expect(each.codes).toEqual(expect.arrayContaining([...plantedCases[name].codes]));
      expect(completed.some(({ transactionId }) => transactionId === each.transactionId)).toBe(true);
      // Some line of the case differs from the clean file, or there are more or fewer of them.
      const texts = each.lines.map((number) => JSON.stringify(lines[number - 2]));
      const original = clean.lines.find((line) => line["id"] === each.providerTransactionId)!;
      expect(texts).not.toEqual([JSON.stringify(original)]);
    }
    // And nothing else differs: payouts aside, every other line is in the clean file.
    const cleanTexts = new Set(clean.lines.map((line) => JSON.stringify(line)));
    const others = lines.filter((line, at) => !touched.has(at + 2) && kindOf(line) !== "payout");
    expect(others.every((line) => cleanTexts.has(JSON.stringify(line)))).toBe(true);
  });

  test("a missing line is in no line; an extra one is in no record", async () => {
    const missing = await read("banxa", "missing_line=0.3");
    for (const each of missing.truth.cases.filter((one) => one.case === "missing_line")) {
      expect(each.lines).toEqual([]);
      expect(missing.lines.some((line) => line["order_id"] === each.providerTransactionId)).toBe(false);
    }
    const extra = await read("banxa", "extra_line=0.3");
    const known = new Set(
      completed.flatMap((record) => [
        record.onrampTransactionId,
        record.transactionId,
        record.transactionHash,
      ]),
    );
    for (const each of extra.truth.cases.filter((one) => one.case === "extra_line")) {
      const line = extra.lines[each.lines[1]! - 2]!;
      for (const key of ["order_id", "external_id", "transaction_hash"])
        expect(known.has(line[key]!)).toBe(false);
    }
  });

  test("amounts that are off are off by more than one smallest unit, in the right leg", async () => {
    for (const name of ["in_amount_off", "out_amount_off"] as const) {
      const { lines, truth } = await read("transak", `${name}=0.4`);
      for (const each of truth.cases.filter((one) => one.case === name)) {
        const line = lines[each.lines[0]! - 2]!;
        const record = completed.find(({ transactionId }) => transactionId === each.transactionId)!;
        const isBuy = record.transactionType === "buy";
        const net = subtractDecimals(decimal(line["fiatAmount"]!), decimal(line["totalFeeInFiat"]!));
        const theirs = {
          in: isBuy ? line["fiatAmount"] : line["cryptoAmount"],
          out: isBuy ? line["cryptoAmount"] : net,
        };
        expect(theirs.in === record.inAmount).toBe(name !== "in_amount_off");
        expect(theirs.out === record.outAmount).toBe(name !== "out_amount_off");
      }
    }
  });

  test("a wrong network is another network of the same coin", async () => {
    const { lines, truth } = await read("transak", "wrong_network=0.4");
    for (const each of truth.cases.filter((one) => one.case === "wrong_network")) {
      const line = lines[each.lines[0]! - 2]!;
      const { lane } = ledger.history.transactionOf(
        completed.find((record) => record.transactionId === each.transactionId)!.index,
      );
      expect(line["cryptoCurrency"]).toBe(lane.asset.code);
      expect(line["network"]).not.toBe(lane.asset.network);
    }
  });

  test("cases a layout cannot express are not planted in it", async () => {
    const { truth } = await read("simplex", "wrong_network=0.3,address_different=0.3,refund=0.3");
    expect(truth.cases.filter((each) => !each.case.endsWith("_in_records"))).toEqual([]);
  });

  test("at the given rates, and by default in few lines", async () => {
    const many = await read("transak", "hash_different=0.5");
    const share =
      many.truth.cases.filter((each) => each.case === "hash_different").length / many.lines.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
    const byDefault = await read("transak", null);
    expect(byDefault.truth.cases.length).toBeLessThan(byDefault.lines.length * 0.15);
  });
});

describe("payouts", () => {
  test.each(world.providers.map(({ id }) => id).filter((id) => layoutOf(id).hasPayouts))(
    "of %s equal the sum of our shares on their lines",
    async (provider) => {
      const { lines } = await read(provider, "refund=0.1,chargeback_reversed=0.1,duplicate_settlement=0.1");
      const payouts = lines.filter((line) => kindOf(line) === "payout");
      expect(payouts.length).toBeGreaterThan(0);
      for (const payout of payouts) {
        expect(field(payout, "payoutAmount")).toBe(computedPayout(lines, field(payout, "payoutId")));
      }
    },
  );

  test("that are short of their lines are named", async () => {
    const { lines, truth } = await read("moonpay", "payout_short=1");
    const short = truth.cases.filter((each) => each.case === "payout_short");
    expect(short.length).toBeGreaterThan(3);
    for (const each of short) {
      const line = lines[each.lines[0]! - 2]!;
      expect(line["payoutId"]).toBe(each.payoutId);
      const short_by = subtractDecimals(
        decimal(computedPayout(lines, each.payoutId!)),
        decimal(line["payoutAmount"]!),
      );
      expect(Number(short_by)).toBeGreaterThan(0);
    }
  });
});

describe("balances", () => {
  const months = ["2024-04", "2024-05", "2024-06"];
  const moving: Record<string, 1 | -1> = { charge: 1, chargeback_reversal: 1, refund: -1, chargeback: -1 };

  test.each(["transfi", "onrampmoney", "koywe"])(
    "of %s follow from each other, and those that do not are named",
    async (provider) => {
      const rates = "refund=0.1,chargeback_reversed=0.1,payout_short=1,balance_off=0.3";
      const files = await Promise.all(months.map((month) => fetchStatement(provider, rates, month)));
      const stated = files.flatMap(({ lines, truth }) =>
        lines.flatMap((line, at) => {
          const isNamed = truth.cases.some((each) => each.lines.includes(at + 2) && each.codes.length > 0);
          return kindOf(line) === "balance" ? [{ line, isNamed }] : [];
        }),
      );
      expect(stated).toHaveLength(6);
      const [first, second, ...others] = stated;
      expect([first?.isNamed, second?.isNamed]).toEqual([false, false]);
      const broken = others.map(({ line }, at) => {
        const before = stated[at]?.line ?? {};
        return computedBalance(files, before, line) !== line["balance"];
      });
      expect(broken).toEqual(others.map(({ isNamed }) => isNamed));
    },
  );

  function computedBalance(files: readonly { lines: Line[] }[], before: Line, at: Line): string {
    const between = files
      .flatMap(({ lines }) => lines)
      .filter((line) => line["fiat_currency"] === at["fiat_currency"])
      .filter(
        (line) =>
          before["effective_at"]! < line["effective_at"]! && line["effective_at"]! <= at["effective_at"]!,
      );
    return between.reduce<string>((sum, line) => {
      const kind = kindOf(line);
      if (kind === "payout") return subtractDecimals(decimal(sum), decimal(line["payout_amount"]!));
      const sign = moving[kind];
      if (sign === undefined) return sum;
      const share = decimal(line["fee_partner"]!);
      return sign === 1 ? addDecimals(decimal(sum), share) : subtractDecimals(decimal(sum), share);
    }, before["balance"]!);
  }

  test("are not stated for a month that is not over", async () => {
    const { lines } = await fetchStatement("koywe", "", "2024-07");
    expect(lines.some((line) => kindOf(line) === "balance")).toBe(false);
  });
});

describe("over HTTP", () => {
  test("the list has every provider and month, and says which are over", async () => {
    const { statements } = (await (await app.request("/sandbox/statements", { headers })).json()) as {
      statements: { provider: string; period: string; complete: boolean; csv: string }[];
    };
    const periods = ["2024-04", "2024-05", "2024-06", "2024-07"];
    expect(statements).toHaveLength(world.providers.length * periods.length);
    expect([...new Set(statements.map(({ period }) => period))]).toEqual(periods);
    expect(statements.find(({ period }) => period === "2024-07")?.complete).toBe(false);
    expect((await app.request(statements[0]!.csv, { headers })).status).toBe(200);
  });

  test("key and secret are needed; what does not exist is not found; wrong rates are named", async () => {
    expect(await statusOf("/sandbox/statements", {})).toBe(401);
    expect(await statusOf("/sandbox/statements/moonpay/2024-05.csv", {})).toBe(401);
    expect(await statusOf("/sandbox/statements/nobody/2024-05.csv")).toBe(404);
    expect(await statusOf("/sandbox/statements/moonpay/2031-05.csv")).toBe(404);
    expect(await statusOf("/sandbox/statements/moonpay/2024-13.csv")).toBe(404);
    expect(await statusOf("/sandbox/statements/moonpay/2024-05.pdf")).toBe(404);
    expect(await statusOf("/sandbox/statements/moonpay/2024-05.csv?rates=fire=1")).toBe(400);
  });

  test("the same statement twice is the same file", async () => {
    const once = await (await app.request("/sandbox/statements/topper/2024-05.csv", { headers })).text();
    const again = await (await app.request("/sandbox/statements/topper/2024-05.csv", { headers })).text();
    expect(again).toBe(once);
  });
});

test("rates are read from a line of names", () => {
  expect(parseRates("missing_line=0.5")).toMatchObject({ missing_line: 0.5, extra_line: 0 });
  expect(parseRates("all=0.1")).toMatchObject({ missing_line: 0.1, payout_short: 0.1 });
  expect(parseRates(null).missing_line).toBeGreaterThan(0);
  expect(() => parseRates("missing_line=2")).toThrow(/share between 0 and 1/);
});

type Line = Record<string, string>;

interface TruthFile {
  readonly cases: {
    case: string;
    codes: string[];
    lines: number[];
    transactionId: string;
    providerTransactionId: string;
    payoutId?: string;
  }[];
  readonly lines: number;
}

type Statement = Promise<{ lines: Line[]; truth: TruthFile }>;
const held = new Map<string, Statement>();

/** Each file is read once: it is the same every time, as a test of its own shows. */
function read(provider: string, rates: string | null): Statement {
  const key = `${provider} ${rates}`;
  const known = held.get(key) ?? fetchStatement(provider, rates);
  held.set(key, known);
  return known;
}

async function fetchStatement(provider: string, rates: string | null, month = "2024-05"): Statement {
  const query = rates === null ? "" : `?rates=${encodeURIComponent(rates)}`;
  const csv = await (
    await app.request(`/sandbox/statements/${provider}/${month}.csv${query}`, { headers })
  ).text();
  const truth = (await (
    await app.request(`/sandbox/statements/${provider}/${month}.truth.json${query}`, { headers })
  ).json()) as TruthFile;
  const [header = [], ...rows] = csv.trimEnd().split("\n").map(splitRow);
  expect(truth.lines).toBe(rows.length);
  return {
    lines: rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""]))),
    truth,
  };
}

async function firstLine(provider: string): Promise<Line> {
  return (await read(provider, "")).lines[0]!;
}

async function statusOf(path: string, sent: Record<string, string> = headers): Promise<number> {
  return (await app.request(path, { headers: sent })).status;
}

function splitRow(row: string): string[] {
  return [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
}

function kindOf(line: Line): string {
  return line["lineType"] ?? line["line_type"] ?? "charge";
}

function field(line: Line, name: string): string {
  return line[name] ?? line[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? "";
}

function computedPayout(lines: readonly Line[], payoutId: string): string {
  const column = [
    "extraFeeAmount",
    "partnerFeeInLocalCurrency",
    "hostFeeCut",
    "partner_fee",
    "rebateFiatAmount",
    "partnerFee.amount",
    "fees.partner",
    "fee_partner",
  ].find((name) => name in lines[0]!)!;
  const signs: Record<string, 1 | -1> = { charge: 1, chargeback_reversal: 1, refund: -1, chargeback: -1 };
  let sum = zero;
  for (const line of lines.filter(
    (each) => field(each, "payoutId") === payoutId && kindOf(each) !== "payout",
  )) {
    const share = decimal(line[column]!);
    sum = signs[kindOf(line)] === 1 ? addDecimals(sum, share) : subtractDecimals(sum, share);
  }
  return sum;
}

function pairs(
  provider: string,
  idColumn: string,
  lines: readonly Line[],
): { line: Line; record: SandboxRecord }[] {
  const byId = new Map(
    completed
      .filter(({ onramp }) => onramp === provider)
      .map((record) => [record.onrampTransactionId, record]),
  );
  const found = lines.flatMap((line) => {
    const record = byId.get(line[idColumn]!);
    return record && kindOf(line) === "charge" ? [{ line, record }] : [];
  });
  expect(found.length).toBeGreaterThan(10);
  return found;
}

function anApp() {
  const all = new OpenAPIHono<SandboxEnv>();
  all.onError((error, c) =>
    error instanceof RefusedError
      ? c.text(error.message, refusalStatus(error.type))
      : c.text(String(error.stack), 500),
  );
  all.route("/", statementRoutes({ world, ...depsOf(ledger, { dialect: "currency=id" }) }));
  return all;
}
