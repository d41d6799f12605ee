import { beforeAll, describe, expect, test } from "vitest";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { aKey } from "../api/an-api.ts";
import { bankCsv, requestFor, sourceOf } from "../reconcile/receipts/bank.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { usePage } from "./a-page.ts";
import { type SeededTransaction, seedPage } from "./seed-page.ts";
import { fileOfOneReference, takeFile, takeStatement } from "./statement-file.ts";

describe("finding, and looking after the service", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  let ada: VisitorOfTest;
  let stranger: VisitorOfTest;
  let own: SeededTransaction[];
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    own = completed.filter(({ provider }) => provider === "moonpay");
    await takeStatement(database.db, completed);
    ada = await signIn(database.db, await aPerson(database.db, everyRole, { name: "Ada Lovelace" }));
    stranger = await signIn(database.db, await aPerson(database.db, "viewer", { accountIds: [2] }));
  });

  const look = (path: string, visitor = ada) =>
    fetch(service.url + path, { headers: visitor.headers, redirect: "manual" });
  const placeOf = async (q: string, visitor = ada) =>
    (await look(`/find?${new URLSearchParams({ q }).toString()}`, visitor)).headers.get("location");
  const send = (path: string, fields: Record<string, string>) =>
    fetch(service.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { origin: service.url, ...ada.headers },
      body: new URLSearchParams({ csrf: ada.csrf, ...fields }),
    });

  test("a single hit is opened at once, whatever the case of the letters", async () => {
    const id = own[0]?.id ?? "";
    expect(await placeOf(id)).toContain(`id=${id}`);
    expect(await placeOf(id.toLowerCase())).toContain(`id=${id}`);
    expect(await placeOf("0000FEED-0000-4000-A000-000000000001")).toMatch(/^\/statements\/1\/lines\/\d+$/);
    expect(await placeOf(`0X${"AB".repeat(32)}`)).toMatch(/^\/statements\/1\/lines\/\d+$/);
    expect(await placeOf("MoonPay-2026-11.CSV")).toBe("/statements/1");
    expect(await placeOf("moonpay-2026")).toBe("/statements/1");
    expect(await placeOf("BANX")).toBe("/transactions?provider=banxa");
    expect(await placeOf("ada lovelace")).toBe("/people");
    expect(await placeOf("DIS_1")).toBe("/discrepancies/1");
  });

  test("several hits are listed by what they are, and amounts are found with and without commas", async () => {
    const named = await (await look(`/find?q=${own[0]?.providerId ?? ""}`)).text();
    expect(named).toContain("<small>transaction</small>");
    expect(named).toContain("<small>line</small>");
    const payouts = await (await look("/find?q=po-2026-11")).text();
    expect(payouts.match(/<small>payout<\/small>/g)?.length).toBeGreaterThan(1);
    await database.db.query("update tieout.discrepancies set value = 1234.5 where id = 1");
    expect(await placeOf("1,234.50")).toBe("/discrepancies/1");
    expect(await (await look("/find?q=nothing-is-called-so")).text()).toContain("Nothing found");
  });

  test("bank files and bank lines are found by name, the bank's number, amount and our own numbers", async () => {
    const [account] = await database.db.query<{ id: number; name: string }>(
      "select id, name from tieout.accounts where id = $1",
      [1],
    );
    const books = { db: database.db, accountId: account?.id ?? 0, name: account?.name ?? "" };
    const source = sourceOf(
      bankCsv([["2026-03-26", "77.31", "For INV-20931-X", "EUR", "Nr 5"]]),
      "harbour-2026-03.csv",
    );
    await importReceipts({ database: database.db }, source, requestFor(books));
    const [line] = await database.db.query<{ id: number; file: number }>(
      "select id::int, file_id::int as file from tieout.receipt_lines where amount = 77.31",
    );
    const place = `/receipts/lines/${line?.id}`;
    for (const text of ["inv-20931-x", "nr 5", "-77.31", `RCL_${line?.id}`])
      expect([text, await placeOf(text)]).toEqual([text, place]);
    // The discrepancy about it has the same amount.
    expect(await (await look("/find?q=77.31")).text()).toContain(`href="${place}"`);
    for (const text of ["HARBOUR-2026", `rcf_${line?.file}`])
      expect([text, await placeOf(text)]).toEqual([text, `/receipts/${line?.file}`]);
    for (const text of [
      "inv-20931-x",
      "nr 5",
      "77.31",
      `rcl_${line?.id}`,
      "harbour",
      `rcf_${line?.file}`,
      "lin_1",
    ])
      expect([text, await placeOf(text, stranger)]).toEqual([text, null]);
    const [first] = await database.db.query<{ id: number }>(
      "select min(id)::int as id from tieout.statement_lines",
    );
    expect(await placeOf(`lin_${first?.id}`)).toMatch(/^\/statements\/1\/lines\/\d+$/);
  });

  test("nothing of another account is found", async () => {
    const q = own[0]?.id ?? "";
    for (const text of [q, "0000feed-0000-4000-a000-000000000001", "PO-2026-11", "moonpay-2026-11.csv"]) {
      const answer = await look(`/find?${new URLSearchParams({ q: text }).toString()}`, stranger);
      expect([text, answer.status, (await answer.text()).includes("Nothing found")]).toEqual([
        text,
        200,
        true,
      ]);
    }
  });

  test("lines of other accounts, and withdrawn ones, leave room for the person's own", async () => {
    const many = Array.from({ length: 30 }, (_, n) => ({
      ...(own[0] as SeededTransaction),
      providerId: `0000beef-0000-4000-a000-${String(n).padStart(12, "0")}`,
      hash: `0x${String(n + 1).padStart(64, "0")}`,
    }));
    const files = [
      { name: "of-the-other.csv", lines: many, account: { id: 1, name: "acme-eu" } },
      { name: "withdrawn.csv", lines: many, account: { id: 2, name: "acme-us" } },
      { name: "of-theirs.csv", lines: many.slice(0, 1), account: { id: 2, name: "acme-us" } },
    ];
    const key = await aKey(database.db, "admin");
    for (const { name, lines, account } of files) {
      const text = fileOfOneReference(lines, "SHOP-WITHOUT-NUMBERS", "PO-SHOP");
      await takeFile(database.db, { name, text, provider: null }, account);
      if (name !== "withdrawn.csv") continue;
      const [file] = await database.db.query<{ id: number }>(
        "select max(id)::int as id from tieout.statements",
      );
      const withdrawn = await service.send("POST", `/v1/statements/stm_${file?.id}/withdraw`, key, {
        reason: "for the wrong account",
      });
      expect(withdrawn.status).toBe(200);
    }
    expect(await placeOf("shop-without-numbers", stranger)).toMatch(/^\/statements\/\d+\/lines\/\d+$/);
  });

  test("every part of the search is a look-up by an index", async () => {
    await database.db.query("analyze tieout.statement_lines, tieout.payouts, tieout.discrepancies");
    for (const [index, condition] of [
      [
        "lines_by_provider_id",
        "tieout.statement_lines where tieout.comparable_id(provider_transaction_id) = 'x' and provider_transaction_id is not null",
      ],
      [
        "lines_by_reference",
        "tieout.statement_lines where tieout.comparable_id(our_reference) = 'x' and our_reference is not null",
      ],
      [
        "lines_by_hash",
        "tieout.statement_lines where tieout.comparable_hash(transaction_hash) = 'x' and transaction_hash is not null",
      ],
      ["payouts_by_ref", "tieout.payouts where lower(payout_ref) = 'x'"],
      ["payouts_by_declared", "tieout.payouts where net_declared = 1"],
      ["payouts_by_computed", "tieout.payouts where net_computed = 1"],
      ["discrepancies_by_value", "tieout.discrepancies where value = 1"],
      ["statements_by_file_name", "tieout.statements where lower(file_name) = 'x'"],
    ] as const) {
      const plan = await database.db.transaction(async (tx) => {
        // A small table is read whole, and rightly so: what counts is that a large one need not be.
        await tx.query("set local enable_seqscan = off");
        return tx.query<Record<string, string>>(`explain select from ${condition}`);
      });
      expect([index, plan.some((row) => row["QUERY PLAN"]?.includes(index))]).toEqual([index, true]);
    }
  });

  test("a key is shown once, listed without itself, and revoked; the audit trail says by whom", async () => {
    const made = await (await send("/settings/keys/make", { name: "nightly export", role: "viewer" })).text();
    const key = /tieout_[A-Za-z0-9]+_[A-Za-z0-9_-]+/.exec(made)?.[0] ?? "";
    expect((await service.get("/v1/transactions", key)).status).toBe(200);
    const listed = await (await look("/settings/keys")).text();
    expect(listed).toContain("nightly export");
    expect(listed).not.toContain(key);
    const id = `key_${key.split("_")[1]}`;
    expect((await send("/settings/keys/revoke", { id })).status).toBe(303);
    const trail = await (await look("/settings/audit?action=key.revoked")).text();
    expect(trail).toContain(id);
    expect(trail).toContain("Ada Lovelace");
    // Who it was is chosen by name; the address keeps what the log calls them.
    const actor = /<option value="(person:\d+)">Ada Lovelace<\/option>/.exec(trail)?.[1] ?? "";
    expect(trail).toContain(`<option value="key:${key.split("_")[1]}">key nightly export</option>`);
    const hers = await (await look(`/settings/audit?actor=${actor}&action=key.revoked`)).text();
    expect(hers).toContain(id);
    expect(hers).toContain(`<option value="${actor}" selected="">Ada Lovelace</option>`);
    const nobody = await (await look("/settings/audit?actor=person:999999")).text();
    expect(nobody).toContain("No entries match these filters");
    expect((await look("/settings/audit", stranger)).status).toBe(403);
    expect((await look("/settings/keys", stranger)).status).toBe(403);
  });

  test("of more than a hundred keys, the oldest are on the next page", async () => {
    const { rows } = await database.db.session((client) =>
      client.query<{ id: string }>("select id from tieout.api_keys order by created_at, id limit 1"),
    );
    for (let n = 0; n < 101; n++) await aKey(database.db, "viewer");
    const oldest = `key_${rows[0]?.id}`;
    const first = await (await look("/settings/keys")).text();
    const next = /<a rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect([first.includes(oldest), (await (await look(next)).text()).includes(oldest)]).toEqual([
      false,
      true,
    ]);
  });

  test("a form whose answer shows a secret makes one thing, though the answer is reloaded", async () => {
    for (const [screen, action, fields, rows] of [
      [
        "/settings/keys",
        "make",
        { name: "weekly export", role: "viewer" },
        "api_keys where name = 'weekly export'",
      ],
      ["/settings/webhooks", "create", { url: "https://example.com/events" }, "webhook_endpoints"],
    ] as const) {
      const form = await (await look(screen)).text();
      const once = /name="once" value="([^"]+)"/.exec(form)?.[1] ?? "";
      const first = await send(`${screen}/${action}`, { ...fields, once });
      expect([screen, first.status]).toEqual([screen, 200]);
      const again = await send(`${screen}/${action}`, { ...fields, once });
      expect([screen, again.status]).toEqual([screen, 303]);
      expect(await database.db.query(`select from tieout.${rows}`)).toHaveLength(1);
    }
    const screen = await (await look("/settings/webhooks")).text();
    const id = /webhooks\?id=(wh_[^"]+)"/.exec(screen)?.[1] ?? "";
    const once = "the form of one screen";
    const secret = /whsec_[A-Za-z0-9+/=]+/;
    const rotated = await (await send("/settings/webhooks/rotate", { id, once })).text();
    expect(rotated).toMatch(secret);
    expect((await send("/settings/webhooks/rotate", { id, once })).status).toBe(303);
    expect(await (await send("/settings/webhooks/rotate", { id, once: "another" })).text()).toMatch(secret);
    // What becomes a header may hold anything.
    for (const version of ["\u2603", "1\r\nx: y", ""]) {
      const answer = await send("/settings/webhooks/state", { id, version, state: "disabled" });
      expect([version, answer.status]).toEqual([version, 400]);
    }
  });

  test("payouts have sums by currency, sort by date, and lead to the lines of each step", async () => {
    const list = await (await look("/payouts")).text();
    expect(list).toContain("Sums by currency");
    expect(list).toContain("sort=-date");
    const [row] = await database.db.query<{ id: number; lines: number }>(
      "select id::int, line_count as lines from tieout.payouts where currency = 'EUR'",
    );
    const one = await (await look(`/payouts/${row?.id}?step=commissions`)).text();
    expect(one).toContain("Lines: commissions");
    expect(one).toContain(`/payouts/${row?.id}?step=commissions#lines`);
    // A word has one meaning on the screen, and a step of nothing is left out.
    expect(one).toContain("How the payout adds up");
    expect(one).toContain("Customer paid");
    expect(one).not.toMatch(/Gross|Refunds|Chargebacks/);
    const none = await (await look(`/payouts/${row?.id}?step=refunds`)).text();
    expect(none.match(/line \d+<\/a>/g)).toBeNull();
  });

  test("a payout that is dated ahead is expected on its day, with its sum", async () => {
    await database.db.query(
      `update tieout.payouts set payout_date = '2126-11-24', net_declared = net_computed, difference = 0, status = 'tied'
       where currency = 'GBP'`,
    );
    const [row] = await database.db.query<{ id: number }>(
      "select id::int from tieout.payouts where currency = 'GBP'",
    );
    expect(await (await look("/payouts")).text()).toContain("expected 24 Nov");
    expect(await (await look(`/payouts/${row?.id}`)).text()).toContain("Expected 24 Nov");
  });
});
