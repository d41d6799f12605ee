import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../api/some-records.ts";
import { nothing, rowsInTables } from "../reconcile/statement/import-for-test.ts";
import { openFolder } from "../support/open-folder.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const folder = await openFolder("tieout-statement-");
const moonpay = resolve("test/fixtures/statements/moonpay.csv");
const transak = await readFile("test/fixtures/statements/transak.csv", "utf8");
const generic = await readFile("test/fixtures/statements/generic.csv", "utf8");

beforeAll(async () => {
  await anAccount(database.db, "acme");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a file from preview to withdrawal", () => {
  test("a preview shows totals and results, and writes nothing", async () => {
    const { code, stdout } = await run("preview", moonpay);
    expect(code).toBe(0);
    expect(stdout).toContain("moonpay.csv: nothing written yet, moonpay, account acme");
    expect(stdout).toMatch(/EUR +MP-2026-01-EUR +charge +3 +627\.3 +18\.79 +2\.86/);
    expect(stdout).toMatch(/result if imported: 0 matches made, 0 ended; 0 discrepancies agreed/);
    const [, raised, codes = ""] = /(\d+) discrepanc(?:y|ies) raised: (.+)/.exec(stdout) ?? [];
    const counts = codes.split(", ").map((one) => /^(\d+) [a-z_]+$/.exec(one)?.[1]);
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(raised));
    expect(await rowsInTables(database.db)).toEqual(nothing);
  });

  test("an import says its id; the same file again changes nothing", async () => {
    const first = await run("import", moonpay, "--json");
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      state: "imported",
      statement: { id: idForm, account: "acme", provider: "moonpay", rows: { read: 5, accepted: 5 } },
    });
    const before = await rowsInTables(database.db);
    const { code, stdout } = await run("import", moonpay);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^moonpay\.csv: imported before as stm_\d+, nothing changed\n$/);
    expect(await rowsInTables(database.db)).toEqual(before);
    expect(await auditOf("statement.imported")).toMatchObject([{ actor: actorForm }]);
  });

  test("the list has it, in a table and as JSON", async () => {
    const { stdout } = await run("list", "--provider", "MoonPay");
    expect(stdout).toMatch(/^stm_\d+ +acme +moonpay .* imported +5 +5 +0 +moonpay\.csv$/m);
    const listed = JSON.parse((await run("list", "--json")).stdout) as object[];
    expect(listed).toMatchObject([{ id: idForm, provider: "moonpay", state: "imported" }]);
  });

  test("a withdrawal needs a reason, happens once, and is noted", async () => {
    const [{ id }] = JSON.parse((await run("list", "--json")).stdout) as [{ id: string }];
    const unreasoned = await run("withdraw", id);
    expect([unreasoned.code, unreasoned.stderr]).toEqual([2, expect.stringContaining("--reason")]);
    const { code, stdout } = await run("withdraw", id, "--reason", "wrong month");
    expect([code, stdout]).toEqual([
      0,
      `${id} withdrawn: 5 lines no longer count, 0 older versions count again\n`,
    ]);
    const again = await run("withdraw", id, "--reason", "wrong month");
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("withdrawn already: wrong month"),
    ]);
    expect(await auditOf("statement.withdrawn")).toMatchObject([{ actor: actorForm, reason: "wrong month" }]);
  });
});

test("rows that are not taken end with exit code 4, and all of them go to the file that is asked for", async () => {
  const file = await aFile("transak-2026-01.csv", transak.replace("1.37,0.18,0.00068203,,", "n/a,0.18,1,,"));
  const rejects = join(folder, "rejects.csv");
  const { code, stdout } = await run("preview", file, "--rejects", rejects);
  expect(code).toBe(4);
  expect(stdout).toContain('line 5 not taken: fee_total "n/a" is not an amount');
  const csv = await readFile(rejects, "utf8");
  expect(csv).toMatch(
    /^line_no,code,field,reason,original_text\n5,row_unparseable,fee_total,.*order-1002.*\n$/,
  );
});

test("a correction with --replaces takes the older file back and shows what changed", async () => {
  const first = await run("import", await aFile("transak.csv", transak), "--json");
  const { statement } = JSON.parse(first.stdout) as { statement: { id: string } };
  const corrected = await aFile("transak-corrected.csv", transak.replace("EUR,45,ETH", "EUR,46,ETH"));
  const { code, stdout } = await run("import", corrected, "--replaces", statement.id);
  expect([code, stdout]).toEqual([0, expect.stringContaining("fiat_gross was 45, is 46")]);
  expect(stdout).toContain(`  withdrew ${statement.id}, transak.csv\n`);
  const listed = await run("list", "--provider", "transak");
  expect(listed.stdout).toMatch(new RegExp(`${statement.id} .* withdrawn`));
});

test("a file whose totals differ is refused with its code, and taken with a reason that is kept", async () => {
  const cut = await aFile("generic-cut.csv", generic.replace(/^F-1.*\n/m, ""));
  const refused = await run("import", cut, "--provider", "kvantum");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /it states 8 rows and has 7 \(control_total_mismatch\).*; to import it all the same, say why: with --accept/,
    ),
  ]);
  const previewed = await run("preview", cut, "--provider", "kvantum");
  expect(previewed.stdout).toContain("to import it all the same, say why: --accept REASON");
  expect(refused.stdout).toBe("");
  expect(await ofProvider("kvantum")).toEqual([]);
  const taken = await run("import", cut, "--provider", "kvantum", "--accept", "confirmed by mail", "--json");
  expect(taken.code).toBe(0);
  expect(JSON.parse(taken.stdout)).toMatchObject({
    statement: { accepted: { codes: ["control_total_mismatch"], reason: "confirmed by mail" } },
  });
});

describe("a profile of one's own", () => {
  const rows = "order;when;paid;money\nA-1;05.01.2026;12,50;EUR\nA-2;06.01.2026;7,25;EUR\n";
  const profile = {
    name: "corner-shop",
    version: 1,
    provider: "cornershop",
    delimiter: ";",
    decimal: ",",
    columns: {
      provider_transaction_id: "order",
      effective_at: "when",
      fiat_amount: "paid",
      fiat_currency: "money",
    },
    required: ["provider_transaction_id", "effective_at", "fiat_amount", "fiat_currency"],
    time: { format: "DD.MM.YYYY", zone: "Europe/Vilnius" },
    identity: { mode: "unique", columns: ["provider_transaction_id"] },
  };

  test("reads its file, is kept by the import, and is recognised the next time", async () => {
    const own = await aFile("own.json", JSON.stringify(profile));
    const january = await aFile("shop-2026-01.csv", rows);
    const preview = await run("preview", january, "--profile", own);
    expect([preview.code, preview.stdout]).toEqual([0, expect.stringMatching(/EUR .* 2 +19\.75/)]);
    expect(await auditOf("setting.saved")).toEqual([]);
    expect((await run("import", january, "--profile", own)).code).toBe(0);
    expect(await auditOf("setting.saved")).toMatchObject([{ subject: "cornershop profile corner-shop" }]);
    const next = await aFile("shop-2026-02.csv", rows.replaceAll("A-", "B-").replaceAll(".01.", ".02."));
    expect((await run("import", next, "--json")).stdout).toContain('"profile":{"name":"corner-shop"');
  });

  test("a wrong one is refused with every problem", async () => {
    const wrong = await aFile(
      "wrong.json",
      JSON.stringify({ ...profile, grouping: ",", required: ["asset"] }),
    );
    const { code, stderr } = await run("preview", moonpay, "--profile", wrong);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/grouping: may not be the decimal sign; required: asset has no column/),
    ]);
  });
});

test.each([
  ["a file that is not there", ["import", "nowhere.csv"], 2, "cannot read nowhere.csv (ENOENT)"],
  ["a folder", ["import", "."], 2, ". is not a file"],
  ["an unknown account", ["import", moonpay, "--account", "nobody"], 2, "there are: acme"],
  ["an id of another kind", ["import", moonpay, "--replaces", "po_1"], 2, "such as stm_12"],
  ["an empty reason", ["import", moonpay, "--accept", " "], 2, "say why"],
  ["half a period", ["import", moonpay, "--period-from", "2026-01-01"], 2, "belong together"],
  [
    "a time that is none",
    ["import", moonpay, "--generated-at", "noon"],
    2,
    "--generated-at: not a day or a time",
  ],
  ["a profile file that is not there", ["preview", moonpay, "--profile", "no.json"], 2, "ENOENT"],
  [
    "a statement that is not there",
    ["withdraw", "stm_99", "--reason", "x"],
    1,
    "there is no statement stm_99",
  ],
  [
    "another provider's header",
    ["import", moonpay, "--profile", "banxa"],
    1,
    "leave out the profile banxa (file_profile_unknown)",
  ],
])("%s is refused in one line that says what to do", async (_, args, exitCode, words) => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stdout]).toEqual([exitCode, ""]);
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/^ {4}at /m);
});

test.each(["", "preview", "import", "list", "withdraw"])(
  "statement %s --help has two examples",
  async (name) => {
    const { code, stdout } = await runTieout(["statement", ...(name === "" ? [] : [name]), "--help"]);
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}\$? ?tieout statement /gm)).toHaveLength(2);
  },
);

const idForm = expect.stringMatching(/^stm_\d+$/) as string;
const actorForm = expect.stringMatching(/^cli:/) as string;

describe("profiles", () => {
  const odd = join(folder, "odd.json");

  test("one of one's own is kept by an import, listed, shown and retired", async () => {
    await writeFile(
      odd,
      JSON.stringify({ name: "odd", version: 1, extends: "generic", recognise: "only_when_named" }),
    );
    const file = join(folder, "odd.csv");
    await writeFile(
      file,
      "provider_transaction_id,status,fiat_currency,fiat_gross,effective_at\nX-1,settled,EUR,1,2026-01-01T10:00:00Z\n",
    );
    const taken = await run("import", file, "--provider", "kappa", "--profile", odd, "--json");
    expect(taken.code).toBe(0);
    const listed = await run("profiles");
    expect(listed.stdout).toMatch(/^odd +1 +\(any\) +own +when named/m);
    expect(listed.stdout).toMatch(/^moonpay +1 +moonpay +built in +by its header/m);
    const shown = JSON.parse((await run("profiles", "show", "odd")).stdout) as object;
    expect(shown).toMatchObject({ name: "odd", based_on: "generic" });
    const { code, stdout } = await run("profiles", "retire", "odd", "--reason", "one file only");
    expect([code, stdout]).toEqual([0, "odd retired: no further file is read with it\n"]);
    expect((await run("profiles", "list")).stdout).not.toMatch(/^odd /m);
    const again = await run("profiles", "retire", "odd", "--reason", "x");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("there is no profile odd")]);
    const { id } = (JSON.parse(taken.stdout) as { statement: { id: string } }).statement;
    await run("withdraw", id, "--reason", "a test");
  });
});

async function aFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function auditOf(action: string): Promise<Record<string, unknown>[]> {
  return database.db.query("select * from tieout.audit_log where action = $1 order by number", [action]);
}

function ofProvider(provider: string): Promise<Record<string, unknown>[]> {
  return database.db.query("select id from tieout.statements where provider = $1", [provider]);
}

function run(...args: string[]) {
  return runTieout(["statement", ...args], { DATABASE_URL: database.url.reveal() });
}
