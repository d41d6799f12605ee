import { crc32, deflateRawSync } from "node:zlib";
import type { Guise, HostileRequest } from "./requests.ts";

type Giant = Pick<HostileRequest, "method" | "path" | "headers" | "body"> & { name: string };

const statementHead =
  "provider,provider_transaction_id,status,fiat_currency,fiat_gross,fiat_net,effective_at\n";
const statements =
  "/v1/statements/preview?provider=q&profile=generic&generated_at=2026-11-12&account=acme-eu";

/** Requests that are hostile by their size or shape: each once brought some service to a stop. */
export function* giants(guise: Guise | undefined, origin: string): Generator<Giant> {
  const { key = "", cookie = "", csrf = "" } = guise ?? {};
  const withKey = (contentType: string) => ({ authorization: `Bearer ${key}`, "content-type": contentType });
  const onPage = (contentType: string) => ({ cookie: cookie ?? "", origin, "content-type": contentType });
  const post = (
    name: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer | string,
  ): Giant => ({
    name,
    method: "POST",
    path,
    headers,
    body: Buffer.from(body),
  });
  const form = "application/x-www-form-urlencoded";
  yield post(
    "20 MB of fields, a stranger",
    "/statements/preview",
    { origin, "content-type": form },
    "a&".repeat(1e7),
  );
  yield post(
    "20 MB of fields, signed in",
    "/discrepancies/change",
    onPage(form),
    `csrf=${csrf}&${"a&".repeat(1e7)}`,
  );
  yield post(
    "60 KB of fields, signed in",
    "/discrepancies/change",
    onPage(form),
    `csrf=${csrf}&${"a&".repeat(3e4)}`,
  );
  yield post(
    "10,000 parts of a form",
    "/statements/preview",
    onPage("multipart/form-data; boundary=f"),
    manyParts(csrf),
  );
  yield post(
    "a form whose boundary never ends",
    "/statements/preview",
    onPage(`multipart/form-data; boundary=${"-".repeat(60)}`),
    "-".repeat(5e6),
  );
  yield post("JSON, 60 KB deep", "/v1/keys", withKey("application/json"), "[".repeat(6e4));
  yield post("JSON, 20 MB", "/v1/keys", withKey("application/json"), `{"name":"${"x".repeat(2e7)}"}`);
  yield post(
    "JSON, thousands of discrepancies",
    "/v1/discrepancies/actions",
    withKey("application/json"),
    manyDiscrepancies(),
  );
  yield post(
    "statement: a quote that closes and opens, 1 MB",
    statements,
    withKey("text/csv"),
    statementHead + 'x","y\n'.repeat(170_000),
  );
  yield post(
    "statement: one line of 20 MB",
    statements,
    withKey("text/csv"),
    statementHead + "x".repeat(2e7),
  );
  yield post(
    "statement: 10 MB of empty lines",
    statements,
    withKey("text/csv"),
    statementHead + "\n".repeat(1e7),
  );
  yield post(
    "statement: a total in a currency of a megabyte",
    statements,
    withKey("text/csv"),
    `#gross,"${"_".repeat(1e6)}\nx",1\n${statementHead}`,
  );
  yield post("statement: 5 MB of commas", statements, withKey("text/csv"), statementHead + ",".repeat(5e6));
  yield post(
    "statement: 100,000 columns",
    statements,
    withKey("text/csv"),
    `${"a,".repeat(1e5)}\n${"1,".repeat(1e5)}\n`,
  );
  yield post(
    "statement: 2 MB of zeros in a workbook of 2 KB",
    statements,
    withKey("application/octet-stream"),
    workbook(2e6),
  );
  yield post(
    "statement: a workbook of 1 GB in 1 MB",
    statements,
    withKey("application/octet-stream"),
    workbook(1e9),
  );
  for (const [kind, text] of receiptFiles)
    yield post(
      `receipts: ${kind}`,
      "/v1/receipts/preview?account=acme-eu",
      withKey("application/octet-stream"),
      text(),
    );
  yield post(
    "fees: 1 MB of lines",
    "/v1/fee-schedules?account=acme-eu&provider=moonpay&from=2026-01-01",
    withKey("text/csv"),
    `kind,percent\n${"share,1\n".repeat(130_000)}`,
  );
  yield post(
    "discrepancies: a workbook of 1 GB in 1 MB",
    "/v1/discrepancies/workbook/preview",
    withKey("application/octet-stream"),
    workbook(1e9),
  );
  const get = (name: string, path: string): Giant => ({
    name,
    method: "GET",
    path,
    headers: { authorization: `Bearer ${key}`, cookie: cookie ?? "" },
    body: null,
  });
  yield get("a query of 12 KB", `/v1/transactions?q=${"%25".repeat(4_000)}`);
  yield get("3,000 parameters", `/v1/transactions?${"a=&".repeat(3_000)}`);
  yield get("3,000 parameters of the page", `/transactions?${"a=&".repeat(3_000)}`);
  yield get("3,000 statuses", `/v1/transactions?status=${"a,".repeat(3_000)}`);
  yield get("a deep path", `/v1${"/x".repeat(4_000)}`);
}

const receiptFiles: readonly [kind: string, text: () => string | Buffer][] = [
  ["elements in elements, 2 MB", () => camt("<a>".repeat(700_000))],
  [
    "entities of entities",
    () => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "x">${entities()}]>${camt("&e19;")}`,
  ],
  ["an attribute of 5 MB", () => camt(`<a b="${"x".repeat(5e6)}"/>`)],
  ["a comment that never ends, 5 MB", () => camt(`<!--${"-".repeat(5e6)}`)],
  ["MT940, one field of 5 MB", () => `:20:X\n:25:X\n:28C:1\n:60F:C260325EUR1,00\n:86:${"x".repeat(5e6)}`],
  [
    "MT940, 500,000 lines",
    () => `:20:X\n:25:X\n:28C:1\n:60F:C260325EUR1,00\n${":61:260325C1,00NMSC\n".repeat(500_000)}`,
  ],
  ["BAI2, 500,000 continuations", () => `01,X,Y,260325,0000,1,,,2/\n${"88,x\n".repeat(500_000)}`],
  ["OFX, 5 MB of openings", () => `OFXHEADER:100\n\n<OFX>${"<STMTTRN>".repeat(500_000)}`],
  [
    "CSV, a megabyte of spaces in an amount, and in a date",
    () => {
      const ordinary = "A1,EUR,2026-11-03,PO-1,1.00\n".repeat(1_000);
      const spaces = " ".repeat(1e6);
      return `Account,Currency,Date,Description,Amount\n${ordinary}A1,EUR,2026-11-03,PO-1,1${spaces}x\nA1,EUR,2026-11-03${spaces}x,PO-1,1\n`;
    },
  ],
  ["CSV, 1 MB of quotes", () => `date,amount,currency,reference\n${'x","y\n'.repeat(170_000)}`],
];

function camt(inside: string): string {
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>${inside}`;
}

function entities(): string {
  return Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at} "${`&e${at - 1};`.repeat(10)}">`).join("");
}

function manyParts(csrf: string): string {
  const part = (name: string, value: string) =>
    `--f\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return `${part("csrf", csrf)}${part("a", "b").repeat(10_000)}--f--\r\n`;
}

function manyDiscrepancies(): string {
  const discrepancies = Array.from({ length: 1_500 }, (_, at) => ({ id: `dis_${at + 1}`, version: 1 }));
  return JSON.stringify({ action: { action: "comment", comment: "x" }, discrepancies });
}

/** A workbook whose one sheet is so many zeros: small to send, large to read. */
function workbook(bytes: number): Buffer {
  const packed = packedZeros(bytes);
  const entries = [
    entry("[Content_Types].xml", deflateRawSync("<Types/>"), 8),
    entry(
      "xl/workbook.xml",
      deflateRawSync('<workbook><sheets><sheet name="a" sheetId="1"/></sheets></workbook>'),
      67,
    ),
    entry("xl/worksheets/sheet1.xml", packed, bytes),
  ];
  const places = entries.map((_, at) => entries.slice(0, at).reduce((sum, one) => sum + one.file.length, 0));
  const listing = Buffer.concat(
    entries.map(({ listed }, at) => {
      listed.writeUInt32LE(places[at] ?? 0, 42);
      return listed;
    }),
  );
  const files = Buffer.concat(entries.map(({ file }) => file));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(files.length, 16);
  return Buffer.concat([files, listing, end]);
}

const blockBytes = 1_000_000;

/** Deflated block by block: a gigabyte need not be there at once. */
function packedZeros(bytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(blockBytes, "0"), { finishFlush: 2 });
  const last = deflateRawSync(Buffer.from("0"));
  return Buffer.concat([...Array.from({ length: Math.floor(bytes / blockBytes) }, () => block), last]);
}

function entry(name: string, packed: Buffer, bytes: number): { file: Buffer; listed: Buffer } {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(packed), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(bytes, 18);
  common.writeUInt16LE(name.length, 22);
  const head = Buffer.from([0x50, 0x4b, 3, 4]);
  const listed = Buffer.alloc(46);
  listed.writeUInt32LE(0x02014b50, 0);
  common.copy(listed, 6, 0, 26);
  return {
    file: Buffer.concat([head, common, Buffer.from(name), packed]),
    listed: Buffer.concat([listed, Buffer.from(name)]),
  };
}
