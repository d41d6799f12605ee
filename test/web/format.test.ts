import { html } from "hono/html";
import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatAmount,
  formatRounded,
  formatShare,
  formatTime,
  shortAmount,
} from "../../src/web/format.ts";
import { Given } from "../../src/web/parts/show.tsx";
import { indentJson } from "../../src/web/transactions/indent-json.ts";
import { cleanAddress } from "../../src/web/transactions/query.ts";

describe("an amount", () => {
  test.each([
    ["1204.5", "eur", "1,204.50"],
    ["1204.5", "JPY", "1,204.5"],
    ["1204", "kwd", "1,204.000"],
    ["-0.5", "usd", "−0.50"],
    ["0.00152087", "btc", "0.00152087"],
    ["123456789012.123456789012345678", "eth", "123,456,789,012.123456789012345678"],
    ["1000000", null, "1,000,000"],
  ])("%s of %s is spelled %s, with every digit", (amount, currency, text) => {
    expect(formatAmount(amount, currency)).toBe(text);
  });

  test.each([
    ["5134.4351", "eur", "5,134.44"],
    ["-5134.4349", "eur", "−5,134.43"],
    ["0.5", "jpy", "1"],
    ["7", "kwd", "7.000"],
  ])("%s of %s is rounded to %s in a headline", (amount, currency, text) => {
    expect(formatRounded(amount, currency)).toBe(text);
  });

  test.each([
    ["0.123456789012345678", "eth", "0.12345678…"],
    ["0.12345678", "eth", "0.12345678"],
    ["1204.5", "eur", "1,204.50"],
    ["759.23191675", "eur", "759.23…"],
    ["759.001", "eur", "759.001"],
    ["0.0012345", "eur", "0.0012…"],
    ["5400.75", "jpy", "5,400.75"],
    ["0.000000000000000001", "eth", "0.000000000000000001"],
    ["0.0000000000000000123", "eth", "0.000000000000000012…"],
  ])("%s of %s is shortened to %s in tables, and says so", (amount, currency, text) => {
    const { whole, fraction, isCut } = shortAmount(amount, currency);
    expect(whole + fraction).toBe(text);
    expect(isCut).toBe(text.endsWith("…"));
  });

  test("that is not an amount is shown as it is", () => {
    expect(formatAmount("<script>", "eur")).toContain("<script>");
  });
});

describe("a share", () => {
  test("is never rounded up to all", () => {
    expect(formatShare(9_999, 10_000)).toBe("99.9 %");
    expect(formatShare(1, 1)).toBe("100.0 %");
    expect(formatShare(0, 0)).toBe("–");
  });
});

describe("a time", () => {
  test("is spelled in the reader's zone, summer and winter", () => {
    expect(formatTime("2026-07-01 22:30:00.5+00", "Europe/Berlin")).toBe("2026-07-02 00:30:00");
    expect(formatTime("2026-01-01T22:30:00.000Z", "Europe/Berlin")).toBe("2026-01-01 23:30:00");
    expect(formatTime("2026-01-01T00:00:00Z", "Asia/Tokyo")).toBe("2026-01-01 09:00:00");
  });

  test("keeps its microseconds when asked for exactly", () => {
    expect(formatTime("2026-01-01 00:00:00.123456+00", "UTC", { exact: true })).toBe(
      "2026-01-01 00:00:00.123456",
    );
    expect(formatTime("2026-01-01 00:00:00+00", "UTC", { exact: true })).toBe("2026-01-01 00:00:00.000");
  });

  test("has an age of two units", () => {
    expect([0, 59, 61, 7_265, 90_000, 86_400].map(formatAge)).toEqual([
      "0s",
      "59s",
      "1m 1s",
      "2h 1m",
      "1d 1h",
      "1d",
    ]);
  });
});

describe("a record as received", () => {
  test("is indented without touching a digit", () => {
    const json = '{"a":0.100000000000000000001,"b":[],"c":{"d":["x,{}:\\"]",1e400]},"e":{}}';
    const text = indentJson(json);
    expect(text).toContain('"a": 0.100000000000000000001,');
    expect(text).toContain("1e400");
    expect(text.replaceAll(/\n\s*/g, "").replaceAll('": ', '":')).toBe(json);
    expect(text.split("\n")).toHaveLength(11);
  });
});

describe("the address of a list", () => {
  test("says only what was chosen", () => {
    const form = new URLSearchParams("tz=UTC&q=&status=failed&columns=status_date&columns=status&provider=+");
    expect(cleanAddress(form).toString()).toBe("status=failed&columns=status_date%2Ctransaction_id%2Cstatus");
    const standard =
      "status_date,status,transaction_type,provider,in_amount,out_amount,payment_method,country";
    expect(cleanAddress(new URLSearchParams({ columns: standard })).toString()).toBe("");
  });

  test("keeps the zone beside a day, which means nothing without it", () => {
    const form = new URLSearchParams({ tz: "Asia/Tokyo", "status_date[gte]": "2026-11-01" });
    expect(cleanAddress(form).get("tz")).toBe("Asia/Tokyo");
  });
});

test.each([
  ["\u202eevil", "[U+202E]evil"],
  ["tx\u200b1", "tx[U+200B]1"],
  ["tx\u200d1", "tx[U+200D]1"],
  // Joined as it is meant: a Persian word, and a picture of several.
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["👩\u200d💻", "👩\u200d💻"],
])("what is not seen in %j is spelled out on the page", async (text, shown) => {
  expect(String(await html`${Given({ text })}`)).toBe(`<bdi class="given">${shown}</bdi>`);
});
