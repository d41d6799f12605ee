import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { aKey } from "../api/an-api.ts";
import { anAccount } from "../api/some-records.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { usePage } from "../web/a-page.ts";
import { signIn } from "./as-visitor.ts";
import { sendFromElsewhere, type SentFromElsewhere } from "./longest-wait.ts";

const database = useTestDatabase();
const service = usePage(database);
let key = "";
beforeAll(async () => {
  await anAccount(database.db, "main");
  key = await aKey(database.db, "accountant");
  await preview(header + 'x","y\n'.repeat(2_000));
});

const header = "provider,provider_transaction_id,status,fiat_currency,fiat_gross,fiat_net,effective_at\n";
const megabyte = 1024 * 1024;
const path = "/v1/statements/preview?provider=q&profile=generic&generated_at=2026-11-12";

/** Each half a megabyte or more of something that is little to send and much to read. */
const files: Record<string, () => string> = {
  "lines that close one quote and open the next": () => header + 'x","y\n'.repeat(megabyte / 12),
  "lines that all open a quote": () => header + 'q,"\n'.repeat(megabyte / 8),
  "nothing but quotes": () => header + '"'.repeat(2 * megabyte),
  "pairs of quotes without an end": () => `${header}"${'""'.repeat(megabyte)}`,
  "nothing but delimiters": () => header + ",".repeat(2 * megabyte),
  "rows of more columns than are read": () => header + `${",".repeat(600)}\n`.repeat(2_000),
  "a header of a megabyte": () => `${"provider,".repeat(megabyte / 9)}\n${"x,".repeat(megabyte / 2)}\n`,
  "one line without an end": () => header + "x".repeat(4 * megabyte),
  "cells as long as they may be": () =>
    header + `q,${"9".repeat(599)},completed,eur,1,1,2026-11-01\n`.repeat(3_000),
  "one key with many contents": () =>
    header +
    Array.from({ length: 20_000 }, (_, n) => `q,one,completed,eur,${n},${n},2026-11-01T00:00:00Z\n`).join(""),
  "amounts of very many digits": () =>
    header + `q,a,completed,eur,${"1".repeat(500)},1,2026-11-01\n`.repeat(2_000),
};

describe("a hostile statement holds nobody up:", () => {
  test.each(Object.keys(files))("%s", async (name) => {
    const { status, longestWaitMs } = await preview(files[name]?.() ?? "");
    expect([200, 422]).toContain(status);
    expect(longestWaitMs).toBeLessThan(100);
  });

  test("24 KB that froze the process for 12 s are read in no time", async () => {
    const begun = process.cpuUsage();
    const { status } = await preview(header + 'x","y\n'.repeat(4_000));
    expect(status).toBe(200);
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(2_000);
  });

  test("forty megabytes of line breaks are refused soon, over the API and on the page", async () => {
    const body = header + "\n".repeat(40 * megabyte);
    const { status, text, longestWaitMs } = await preview(body);
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([422, "statement_refused"]);
    expect(longestWaitMs).toBeLessThan(100);

    const { headers, csrf } = await signIn(database.db, await aPerson(database.db, "accountant"));
    const fields = { csrf, account: "main", provider: "q", profile: "generic" };
    const edge = "--edge";
    const parts = Object.entries(fields).map(
      ([name, value]) => `${edge}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `${edge}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${body}\r\n${edge}--\r\n`;
    const page = await sendFromElsewhere(service.url, "/statements/preview", {
      headers: { origin: service.url, "content-type": "multipart/form-data; boundary=edge", ...headers },
      body: parts.join("") + file,
    });
    expect(page.status).toBe(422);
    expect(page.longestWaitMs).toBeLessThan(100);
    expect(await rowsLeft()).toBe(0);
  });
});

function preview(body: string): Promise<SentFromElsewhere> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  return sendFromElsewhere(service.url, path, { headers, body });
}

test("a preview that nobody waits for ends, and leaves no row", async () => {
  const line = (n: number) => `q,${n},completed,eur,1,1,2026-11-01T00:00:00Z\n`;
  const body = header + Array.from({ length: 300_000 }, (_, n) => line(n)).join("");
  await waitFor("the files before are done", async () => (await working()) === 0);
  const asking = request(service.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
  });
  asking.on("error", () => undefined);
  asking.end(body);
  await waitFor("the rows are being written", async () => (await working()) > 0);
  asking.destroy();
  const begun = performance.now();
  await waitFor("nothing is being written", async () => (await working()) === 0);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(await rowsLeft()).toBe(0);
  await waitFor("it is logged", () => service.log.some(({ status }) => status === 499));
});

/** Sessions that are in the middle of something, ours that asks left out, and a vacuum of the rows before as well. */
async function working(): Promise<number> {
  const [row] = await database.db.query<{ sessions: number }>(
    `select count(*)::int as sessions from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
       and backend_type = 'client backend' and query ~* 'statement_rows|copy'`,
  );
  return row?.sessions ?? 0;
}

async function rowsLeft(): Promise<number> {
  const [row] = await database.db.query<{ rows: number }>(
    "select (select count(*) from tieout.statement_rows)::int + (select count(*) from tieout.statement_lines)::int as rows",
  );
  return row?.rows ?? -1;
}
