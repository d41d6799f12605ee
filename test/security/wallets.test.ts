import { beforeAll, describe, expect, test } from "vitest";
import { type Scope, scopes } from "../../src/core/scopes.ts";
import { reports } from "../../src/report/catalogue.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { seedPage, type SeededTransaction } from "../web/seed-page.ts";
import { statementFile, takeStatement } from "../web/statement-file.ts";
import { signIn } from "./as-visitor.ts";

const database = useTestDatabase();
const service = usePage(database);

/** Another address for the first order: what the provider's file says, and we do not. */
const otherWallet = "0x00000000000000000000000000000000DeaDBeef";
let seeded: readonly SeededTransaction[] = [];
let addresses: string[] = [];
/** Everything but the one scope. */
let key = "";
let full = "";
let file = "";
const ids = { statement: "", discrepancy: "", transaction: "", payout: "", match: "" };

beforeAll(async () => {
  const { db } = database;
  seeded = await seedPage(db, Date.now());
  const first = seeded.find(({ provider }) => provider === "moonpay");
  if (!first) throw new Error("the seed has no order of moonpay");
  const told = seeded.map((one) => (one.id === first.id ? { ...one, wallet: otherWallet } : one));
  await takeStatement(db, told);
  file = statementFile(told);
  addresses = [...new Set([otherWallet, ...seeded.map(({ wallet }) => wallet)])];
  const [found] = await db.query<typeof ids>(
    `select (select 'stm_' || max(id) from tieout.statements) as statement,
            (select 'dis_' || max(id) from tieout.discrepancies where code = 'address_mismatch') as discrepancy,
            (select transaction_id from tieout.discrepancies where code = 'address_mismatch' limit 1) as transaction,
            (select 'po_' || max(id) from tieout.payouts) as payout,
            (select 'mat_' || max(id) from tieout.matches) as match`,
  );
  Object.assign(ids, found);
  const all = scopes.filter((scope): scope is Scope => scope !== "wallets:read");
  key = await aKey(db, "custom", { scopes: all });
  full = await aKey(db, "admin");
});

/** Every address that is served, with the things that exist put in place of its parameters. */
function paths(): string[] {
  return [...service.api.access.keys()]
    .filter((route) => route.startsWith("GET "))
    .map((route) => route.slice("GET ".length))
    .filter((path) => !/^\/(mirror|metrics|assets)|download/.test(path))
    .flatMap((path) => {
      if (path === "/v1/reports/:file") return reportPaths();
      if (path === "/transactions/one") return [`/transactions/one?id=${ids.transaction}`];
      return [withIds(path)];
    });
}

function withIds(path: string): string {
  const bare = (id: string) => id.replace(/^\w+_/, "");
  if (path.startsWith("/v1/")) {
    const id = Object.entries({
      statements: ids.statement,
      discrepancies: ids.discrepancy,
      transactions: ids.transaction,
      payouts: ids.payout,
      matches: ids.match,
    }).find(([noun]) => path.includes(`/${noun}/`))?.[1];
    return path
      .replace(":id", id ?? "x")
      .replace(":name", "moonpay")
      .replace(":provider", "moonpay");
  }
  const id = { statements: ids.statement, discrepancies: ids.discrepancy, payouts: ids.payout };
  const noun = path.split("/")[1] as keyof typeof id;
  return path.replace(":id", bare(id[noun] ?? "x"));
}

function reportPaths(): string[] {
  const month = `from=${new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10)}`;
  const period = `${month}&to=${new Date().toISOString().slice(0, 10)}&partial=true`;
  return reports.map(({ name }) => `/v1/reports/${name}.csv?${period}`);
}

const holds = (text: string) =>
  addresses.filter((address) => text.toLowerCase().includes(address.toLowerCase()));

describe("without wallets:read", () => {
  test("no address stands in full in anything that is served", async () => {
    expect(addresses.length).toBeGreaterThan(100);
    const { headers } = await signIn(database.db, await aPerson(database.db, ["viewer", "admin"]));
    const leaks: string[] = [];
    let served = 0;
    for (const path of paths()) {
      const answer = await fetch(service.url + path, {
        redirect: "manual",
        headers: path.startsWith("/v1/") ? { authorization: `Bearer ${key}` } : headers,
      });
      const text = await answer.text();
      if (answer.status === 200) served += 1;
      if (holds(text).length > 0) leaks.push(path);
    }
    expect(leaks).toEqual([]);
    expect(served).toBeGreaterThan(45);
  });

  test("the two sides of a wrong address are recognisable, and no more", async () => {
    const { headers } = await signIn(database.db, await aPerson(database.db, ["viewer", "admin"]));
    const page = await fetch(`${service.url}/discrepancies/${ids.discrepancy.slice(4)}`, { headers });
    expect(await page.text()).toContain("0x00…Beef");
  });

  test("original rows are refused by name, on the page as over the API", async () => {
    const { headers } = await signIn(database.db, await aPerson(database.db, ["viewer", "admin"]));
    for (const [overApi, onPage] of [
      ["rejects.csv", "rejected.csv"],
      ["original", "original"],
    ]) {
      const api = await service.get(`/v1/statements/${ids.statement}/${overApi}`, key);
      expect([api.status, api.json["scopes"]]).toEqual([403, ["wallets:read"]]);
      const page = await fetch(`${service.url}/statements/${ids.statement.slice(4)}/${onPage}`, { headers });
      expect(page.status).toBe(403);
    }
  });

  test("a file that was imported before shows no row of it to whoever sends it again", async () => {
    const { text, json } = await service.send("POST", "/v1/statements?account=acme-eu", key, file, {
      "content-type": "text/csv",
    });
    expect(json["state"]).toBe("already_imported");
    expect((json["rejects"] as unknown[]).length).toBeGreaterThan(0);
    expect(holds(text)).toEqual([]);
  });

  test("a restated line does not tell the address that stood before", async () => {
    const restated = file.replaceAll(otherWallet, `0x${"11".repeat(20)}`).replace(/\n$/, "\n\n");
    for (const [who, shown] of [
      [key, false],
      [full, true],
    ] as const) {
      const { text, json } = await service.send(
        "POST",
        "/v1/statements/preview?account=acme-eu",
        who,
        restated,
        {
          "content-type": "text/csv",
        },
      );
      expect((json["restated"] as unknown[]).length).toBeGreaterThan(0);
      expect(holds(text).length > 0).toBe(shown);
    }
  });
});

test("with wallets:read the rows are sent, and the download is in the audit log", async () => {
  const { status, text } = await service.get(`/v1/statements/${ids.statement}/rejects.csv`, full);
  expect([status, holds(text).length > 0]).toEqual([200, true]);
  const entries = await database.db.query(
    "select subject from tieout.audit_log where action = 'statement.rejects_exported'",
  );
  expect(entries).toHaveLength(1);
});
