import { describe, expect, test } from "vitest";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import {
  findProfile,
  listProfiles,
  parseProfile,
  retireProfile,
  vocabularyOf,
} from "../../../src/reconcile/statement/own-profiles.ts";
import { saveSetting, type SettingKind } from "../../../src/store/statements/provider-settings.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const header =
  "provider,provider_transaction_id,transaction_hash,line_type,status,fiat_currency,fiat_gross,net_amount,category,effective_at";
const row = (provider: string, id: string) =>
  `${provider},${id},,charge,settled,EUR,10,,,2026-01-01T10:00:00Z`;

describe("of several profiles that fit a header", () => {
  const usual = `${header}\n${row("", "A")}\n`;
  const kappa = { provider: "kappa" };

  test("the one that extends another reads the file, and they are not ambiguous", async () => {
    const own = parseProfile({ name: "own", extends: "generic", statuses: { any: { done: "settled" } } });
    expect(own.based_on).toBe("generic");
    const bench = await openBench(database.db, "extends");
    const { statement } = await bench.import("a.csv", usual, {
      ...kappa,
      profiles: [...builtInProfiles, own],
    });
    expect(statement.profile).toBe("own");
  });

  test("one that is only for files imported with its name leaves the usual ones alone", async () => {
    const odd = parseProfile({
      name: "odd",
      extends: "generic",
      recognise: "only_when_named",
      identity: { mode: "counted" },
    });
    const profiles = [odd, ...builtInProfiles];
    const bench = await openBench(database.db, "one-off");
    expect((await bench.import("a.csv", usual, { ...kappa, profiles })).statement.profile).toBe("generic");
    const named = await bench.import("b.csv", `${header}\n${row("", "B")}\n`, {
      ...kappa,
      profiles,
      profileName: "odd",
    });
    expect(named.statement.profile).toBe("odd");
    expect(parseProfile({ name: "child", extends: "odd" }, profiles).recognise).toBe("by_header");
  });

  test("one that asks for fewer columns stands back behind one that asks for more", async () => {
    const loose = aProfile({
      name: "loose",
      columns: builtInProfiles.find(({ name }) => name === "generic")?.columns ?? {},
      required: ["transaction_hash"],
      provider: null,
    });
    const bench = await openBench(database.db, "fewer");
    const { statement } = await bench.import("a.csv", usual, {
      ...kappa,
      profiles: [loose, ...builtInProfiles],
    });
    expect(statement.profile).toBe("generic");
  });

  test("one for files of a certain name goes before one for any", async () => {
    const named = aProfile({ name: "named", file_name: "weekly-*.csv" });
    const profiles = [aProfile(), named];
    const bench = await openBench(database.db, "by file name");
    const text = "id,status,currency,amount,time\nA,done,EUR,1,2026-01-01T10:00:00Z\n";
    expect((await bench.preview("weekly-7.csv", text, { profiles })).statement.profile).toBe("named");
    expect((await bench.preview("monthly-7.csv", text, { profiles })).statement.profile).toBe("test");
  });

  test("two that say the same of themselves are ambiguous, and how to end it is said", async () => {
    const bench = await openBench(database.db, "ambiguous");
    const text = "id,status,currency,amount,time\nA,done,EUR,1,2026-01-01T10:00:00Z\n";
    const profiles = [aProfile(), aProfile({ name: "twin" })];
    await expect(bench.import("a.csv", text, { profiles })).rejects.toMatchObject({
      importCode: "file_profile_unknown",
      message: expect.stringMatching(
        /fits the profiles test and twin: choose one of them, or retire the other/,
      ) as string,
    });
  });
});

describe("a profile that fits the header, but is not asked", () => {
  const text = "id,status,currency,amount,time\nA,done,EUR,1,2026-01-01T10:00:00Z\n";
  const named = aProfile({ name: "odd", recognise: "only_when_named" });
  const weekly = aProfile({ name: "weekly", file_name: "weekly-*.csv" });

  test.each([
    ["only when named", named, {}, "choose the profile odd yourself"],
    ["only when named, of this provider", named, { provider: "testpay" }, "choose the profile odd yourself"],
    [
      "only when named, of another provider",
      named,
      { provider: "kappa" },
      "choose the profile odd yourself, and leave out the provider kappa",
    ],
    [
      "only when named, while another is",
      named,
      { profileName: "generic" },
      "choose the profile odd instead of generic",
    ],
    ["for files of another name", weekly, {}, "choose the profile weekly yourself"],
    ["of another provider", aProfile(), { provider: "kappa" }, "leave out the provider kappa"],
    ["while another is named", aProfile(), { profileName: "generic" }, "leave out the profile generic"],
  ])("%s: what to do is said", async (_, own, asked, advice) => {
    const bench = await openBench(database.db, `advice ${own.name} ${JSON.stringify(asked)}`);
    const profiles = [own, ...builtInProfiles];
    await expect(bench.preview("a.csv", text, { ...asked, profiles })).rejects.toMatchObject({
      importCode: "file_profile_unknown",
      message: `a.csv: the header is that of ${own.name}: ${advice} (file_profile_unknown)`,
    });
  });
});

describe("the provider of a file", () => {
  test("is not another than that of the profile that was chosen for it", async () => {
    const bench = await openBench(database.db, "two providers");
    const text = "id,status,currency,amount,time\nA,done,EUR,1,2026-01-01T10:00:00Z\n";
    const own = aProfile();
    const asked = { profiles: [own], profileName: own.name, provider: "kappa" };
    await expect(bench.preview("a.csv", text, asked)).rejects.toMatchObject({
      message:
        "a.csv: profile test is for testpay: leave out the provider kappa, or choose another profile (file_profile_unknown)",
    });
    const { statement } = await bench.preview("a.csv", text, { ...asked, provider: "TestPay" });
    expect(statement.provider).toBe("testpay");
  });

  test("stands in its column: nobody has to name it", async () => {
    const bench = await openBench(database.db, "column");
    const { statement, rejects } = await bench.import(
      "a.csv",
      `${header}\n${row("", "A")}\n${row("Kappa", "B")}\n${row("moonpay", "C")}\n`,
    );
    expect(statement.provider).toBe("kappa");
    expect(rejects).toMatchObject([{ lineNo: 4, code: "unknown_provider" }]);
    await expect(bench.import("b.csv", `${header}\n${row("", "A")}\n`)).rejects.toMatchObject({
      message: expect.stringContaining("name the provider, or give the file a column provider") as string,
    });
  });

  test("goes by every name that is set for it", async () => {
    const bench = await openBench(database.db, "names");
    await set("names", "kappa", "provider_name", ["Kappa Pay", "KPAY"]);
    const vocabulary = await vocabularyOf(database.db, await idOf("names"));
    const text = `${header}\n${row("KPAY", "A")}\n${row("kappa pay", "B")}\n${row("kappa", "C")}\n`;
    const { statement, rejects } = await bench.import("a.csv", text, { deps: vocabulary });
    expect([statement.provider, rejects]).toEqual(["kappa", []]);
    const named = await bench.import("b.csv", `${header}\n${row("", "D")}\n`, {
      provider: "kpay",
      deps: vocabulary,
    });
    expect(named.statement.provider).toBe("kappa");
  });
});

describe("the word for a movement", () => {
  const text = [
    header,
    ",R-1,,reserve,settled,EUR,,-5,Rolling Reserve,2026-01-31T10:00:00Z",
    ",R-2,,adjustment,settled,EUR,,-7,misc,2026-01-31T10:00:00Z",
    ",R-3,,adjustment,settled,EUR,,-9,,2026-01-31T10:00:00Z",
  ].join("\n");
  const shown = async (account: string) =>
    (
      await database.db.query<{ words: string }>(
        `select l.provider_transaction_id || ' ' || coalesce(l.category, '-') || ' ' || coalesce(l.extra ->> 'category', '-') as words
       from tieout.statement_lines as l
       join tieout.accounts as a on a.id = l.account_id
       where a.name = $1
       order by 1`,
        [account],
      )
    ).map(({ words }) => words);

  test("is its category where the profile knows it; any other word is kept and explains nothing", async () => {
    const bench = await openBench(database.db, "categories");
    await bench.import("a.csv", `${text}\n`, { provider: "kappa" });
    expect(await shown("categories")).toEqual(["R-1 rolling_reserve -", "R-2 - misc", "R-3 - -"]);
  });

  test("may be added by a setting, and the same row is still the same line", async () => {
    const bench = await openBench(database.db, "category set");
    const before = await vocabularyOf(database.db, await idOf("category set"));
    await bench.import("a.csv", `${text}\n`, { provider: "kappa", deps: before });
    await set("category set", "kappa", "category", ["Misc"]);
    const after = await vocabularyOf(database.db, await idOf("category set"));
    const more = ",R-4,,adjustment,settled,EUR,,-1,MISC,2026-01-31T10:00:00Z";
    const { statement } = await bench.import("b.csv", `${text}\n${more}\n`, {
      provider: "kappa",
      deps: after,
    });
    expect(statement).toMatchObject({ rowsAccepted: 1, rowsDuplicate: 3 });
    expect(await shown("category set")).toContain("R-4 Misc -");
    expect(await linesInForce(database.db, "category set")).toHaveLength(4);
  });
});

test("profiles are listed and found, and one's own can be retired", async () => {
  await openBench(database.db, "listed");
  const accountId = await idOf("listed");
  await set("listed", "kappa", "profile", { ...aProfile({ name: "mine" }) }, "mine");
  const names = async () => (await listProfiles(database.db, accountId)).map(({ profile }) => profile.name);
  expect(await names()).toEqual(["mine", ...builtInProfiles.map(({ name }) => name)]);
  expect((await findProfile(database.db, { accountId, name: "mine" })).saved).toMatchObject({ by: "test" });
  const retire = (name: string) =>
    database.db.transaction((tx) => retireProfile(tx, { accountId, name, actor: "test", reason: "a test" }));
  await retire("mine");
  expect(await names()).toEqual(builtInProfiles.map(({ name }) => name));
  await expect(retire("mine")).rejects.toMatchObject({ code: "profile_not_found" });
  await expect(retire("moonpay")).rejects.toThrow("is built in and cannot be retired");
});

test("a file that names orders by their hash alone is told how it can be read", async () => {
  const bench = await openBench(database.db, "hash only");
  const text =
    "transaction_hash,status,fiat_currency,fiat_gross,effective_at\n0xab,settled,EUR,1,2026-01-01T10:00:00Z\n";
  const refused = await bench.import("a.csv", text, { provider: "kappa" }).catch((error: unknown) => error);
  const message = refused instanceof Error ? refused.message : "";
  const [, json = ""] = /such as (\{.*\}) \(file_layout_changed\)/.exec(message) ?? [];
  const profile = parseProfile(JSON.parse(json));
  const { statement } = await bench.import("a.csv", text, {
    provider: "kappa",
    profiles: [profile, ...builtInProfiles],
    profileName: profile.name,
  });
  expect(statement).toMatchObject({ rowsAccepted: 1, rowsRejected: 0 });
});

async function idOf(account: string): Promise<number> {
  const [found] = await database.db.query<{ id: number }>("select id from tieout.accounts where name = $1", [
    account,
  ]);
  return found?.id ?? 0;
}

async function set(
  account: string,
  provider: string,
  kind: SettingKind,
  value: unknown,
  name = "",
): Promise<void> {
  const accountId = await idOf(account);
  await database.db.transaction((tx) =>
    saveSetting(tx, { accountId, provider, kind, name, value, actor: "test" }),
  );
}
