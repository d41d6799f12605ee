import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { discrepancyCodes, pendingCodes } from "../../src/core/discrepancy-codes.ts";
import { importCodes } from "../../src/core/import-codes.ts";
import { parseInstant } from "../../src/core/instant.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { importStatement, type ImportResult } from "../../src/reconcile/statement/import-statement.ts";
import { parseProfile } from "../../src/reconcile/statement/own-profiles.ts";
import { fields, profileSchema } from "../../src/reconcile/statement/profile.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { parseCsv, readReport, requestFor } from "../report/books.ts";
import { steps } from "../../src/web/discrepancies/advice.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, type Books, openBooks } from "./books.ts";
import { textSource } from "./statement/import-for-test.ts";

/** What docs/reconciliation.md says is held against the program, and its example is computed. */
const page = readFileSync("docs/reconciliation.md", "utf8");
const database = useTestDatabase();
let books: Books;
let imported: ImportResult;

beforeAll(async () => {
  books = await openBooks(database.db);
  await addRecords(
    books,
    rowsUnder("| Transaction | Kappa's id |").map(([id = "", order, day, amount]) => ({
      id,
      onramp: "kappa",
      onrampTransactionId: order,
      at: `${day}T12:00:00.000Z`,
      inAmount: amount?.replace(/ EUR$/, ""),
      transactionHash: "",
    })),
  );
  imported = await importStatement(
    { database: database.db, profiles: [parseProfile(JSON.parse(block("json profile")))] },
    textSource("kappa-2026-03.csv", block("csv statement")),
    {
      account: { id: books.accountId, name: books.name },
      provider: null,
      profileName: null,
      generatedAt: null,
      periodFrom: parseInstant("2026-03-01T00:00:00Z"),
      periodTo: parseInstant("2026-04-01T00:00:00Z"),
      replaces: null,
      acceptReason: null,
      actor: "test",
    },
  );
  await reconcileAccount(database.db, books.accountId);
});

describe("the page about reconciliation", () => {
  test("explains every code once, with its level, and no other", () => {
    const told = rowsUnder("| Code | Level |").map(([code, level]) => [code?.replaceAll("`", ""), level]);
    expect(told).toEqual(Object.entries(discrepancyCodes).map(([code, { level }]) => [code, level]));
  });

  test("explains everything that a profile may say, and no other, and names every field of its columns", () => {
    const told = rowsUnder("| In a profile |").flatMap(([names]) => (names ?? "").match(/[a-z_]+/g) ?? []);
    // `extends` is resolved before a profile is read, and leaves its trace in `based_on`.
    const known = Object.keys(profileSchema.shape).map((name) => (name === "based_on" ? "extends" : name));
    expect(new Set(told)).toEqual(new Set(known));
    const listing = page.slice(page.indexOf("Fields of `columns`"), page.indexOf("An id such as"));
    const listed = new Set(listing.match(/[a-z_]+/g));
    expect(fields.filter((field) => !listed.has(field))).toEqual([]);
  });

  test("advises what the page advises", () => {
    const told = rowsUnder("| Code | Level |").map(([code, , , step]) => [code?.replaceAll("`", ""), step]);
    expect(told).toEqual(Object.entries(steps));
  });

  test("explains every code of imports, and names every code of what is pending", () => {
    const told = rowsUnder("| Code | Means |").flatMap(([codes]) =>
      (codes ?? "").replaceAll("`", "").split(", "),
    );
    expect(new Set(told)).toEqual(new Set(Object.keys(importCodes)));
    for (const code of Object.keys(pendingCodes)) expect(page).toContain(`\`${code}\``);
  });

  test("shows a profile that reads the file of its example whole", () => {
    expect(imported).toMatchObject({ statement: { provider: "kappa", rowsAccepted: 4 }, rejects: [] });
  });

  test.each([
    ["payout-reconciliation", {}],
    ["discrepancies", { as_at: ["2026-05-15"], level: ["error"] }],
    ["position", { from: ["2026-03-01"], to: ["2026-04-01"] }],
    ["unsettled", { as_at: ["2026-03-30"] }],
  ])("shows the %s of its example as the program computes it", async (report, given) => {
    const shown = block(`csv ${report}`);
    const columns = [shown.split("\n")[0] ?? ""];
    const made = await readReport(
      database.db,
      requestFor(report, { account: [books.name], columns, ...given }),
    );
    const account = "default";
    expect(parseCsv(made.replaceAll(books.name, account))).toEqual(parseCsv(shown));
  });

  test.each(["calendar", "tolerance", "exclusion"] as const)(
    "shows a %s that the next run takes up",
    async (kind) => {
      const value: unknown = JSON.parse(block(`json ${kind}`));
      const setting = { accountId: books.accountId, provider: "kappa", kind, name: "", value, actor: "test" };
      await database.db.transaction((tx) => saveSetting(tx, setting));
      const [run] = await reconcileAccount(database.db, books.accountId, { provider: "kappa" });
      expect(run?.kind).toBe("full");
    },
  );

  test("shows a calendar under which too little has come together for a payout", async () => {
    const at = "2026-06-02T12:00:00.000Z";
    await addRecords(books, [{ id: "T4", onramp: "kappa", onrampTransactionId: "K-4", at, inAmount: "20" }]);
    await reconcileAccount(database.db, books.accountId);
    const given = {
      account: [books.name],
      from: ["2026-06-01"],
      as_at: ["2026-06-10"],
      columns: ["pending_code,due_at"],
    };
    expect(await readReport(database.db, requestFor("unsettled", given))).toBe(
      "pending_code,due_at\nbelow_payout_threshold,\n",
    );
  });
});

function block(name: string): string {
  const found = new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/reconciliation.md has no block ${name}`);
  return found;
}

/** The cells of the table whose first line begins so. */
function rowsUnder(head: string): string[][] {
  const from = page.indexOf(head);
  if (from < 0) throw new Error(`docs/reconciliation.md has no table ${head}`);
  const [, , ...rows] = page.slice(from, page.indexOf("\n\n", from)).split("\n");
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
}
