import { beforeAll, describe, expect, test } from "vitest";
import { aKey } from "../api/an-api.ts";
import { anAccount } from "../api/some-records.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { sendFromElsewhere } from "./longest-wait.ts";

const database = useTestDatabase();
const service = usePage(database);
let key = "";
beforeAll(async () => {
  await anAccount(database.db, "main");
  key = await aKey(database.db, "accountant");
  await preview("01,a,b,261125,2145,1/\n");
});

const megabyte = 1024 * 1024;
const camt = (inner: string) =>
  `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE1</IBAN></Id></Acct>${inner}`;

/** Each little to send and much to read, or worse. */
const files: Record<string, () => string> = {
  "an archive, which was once read as a text in the encoding xlsx": () => "PK\u0003\u0004 and so on",
  "entities that unfold into others": () =>
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${camt("<Ntry>&b;</Ntry>")}`,
  "an entity of a file": () =>
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${camt("<Ntry>&x;</Ntry>")}`,
  "elements within elements without an end": () => camt("<a>".repeat(megabyte / 3)),
  "a tag without an end": () => camt(`<Ntry ${"x".repeat(2 * megabyte)}`),
  "a text without an end": () => camt(`<Ntry>${"x".repeat(2 * megabyte)}`),
  "a comment without an end": () => camt(`<!--${"-".repeat(2 * megabyte)}`),
  "one booking of very many payments": () =>
    camt(
      `<Ntry><Amt Ccy="EUR">1</Amt>${"<NtryDtls><TxDtls><Amt>1</Amt></TxDtls></NtryDtls>".repeat(40_000)}`,
    ),
  "a line of MT940 without an end": () =>
    `:20:X\n:25:DE1\n:60F:C260324EUR10,\n:61:${"9".repeat(2 * megabyte)}`,
  "text of MT940 without an end": () =>
    `:20:X\n:25:DE1\n:60F:C260324EUR10,\n:86:${"x\n".repeat(megabyte / 2)}`,
  "records of BAI2 that never end": () =>
    `01,a,b,261125,2145,1/\n02,a,b,1,261125,,USD/\n${"88,x\n".repeat(megabyte / 5)}`,
  "OFX that opens and never closes": () => `<OFX>${"<STMTTRN>".repeat(megabyte / 9)}`,
  "a CSV of nothing but line breaks": () => `date,amount\n${"\n".repeat(2 * megabyte)}`,
  "a CSV whose lines close one quote and open the next": () =>
    `date,amount,currency,reference\n${'x","y\n'.repeat(megabyte / 6)}`,
  "a CSV of nothing but quotes": () => `date,amount\n${'"'.repeat(2 * megabyte)}`,
};

describe("a hostile bank file is refused with a reason and holds nobody up:", () => {
  test.each(Object.keys(files))("%s", async (name) => {
    const { status, text, longestWaitMs } = await preview(files[name]?.() ?? "");
    // A preview of a file that only ends too early shows what would refuse it.
    expect([200, 422]).toContain(status);
    expect(text).toMatch(/"code":"(?:statement_refused|file_truncated)"/);
    expect(longestWaitMs).toBeLessThan(100);
  });
});

function preview(body: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" };
  return sendFromElsewhere(service.url, "/v1/receipts/preview", { headers, body });
}
