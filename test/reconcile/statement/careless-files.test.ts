import { describe, expect, test } from "vitest";
import { parseProfile } from "../../../src/reconcile/statement/own-profiles.ts";
import { verifyStatements } from "../../../src/reconcile/statement/verify-statements.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { rawWorkbook } from "../../support/raw-workbook.ts";
import { linesInForce, openBench } from "./import-for-test.ts";

/** What providers that nobody wrote a profile for put into their files, read with profiles as users write them. */
const database = useTestDatabase();

const shared = {
  name: "own",
  version: 1,
  provider: "own",
  required: ["provider_transaction_id", "effective_at"],
  side: "buy",
  statuses: { any: { ok: "settled" } },
  identity: { mode: "unique", columns: ["line_type", "provider_transaction_id"] },
};
const columns = {
  provider_transaction_id: "id",
  line_type: "type",
  status: "state",
  fiat_currency: "ccy",
  fiat_gross: "gross",
  effective_at: "time",
};
const time = "2026-03-10T12:00:00Z";

let made = 0;

async function read(profile: object, content: string | Buffer, name = "own.csv") {
  const account = `careless ${++made}`;
  const bench = await openBench(database.db, account);
  const given = parseProfile({ ...shared, columns, ...profile });
  const { rejects } = await bench.import(name, content, { profiles: [given] });
  const lines = await linesInForce(database.db, account);
  return {
    lines: lines.map(shown),
    rejects: rejects.map(({ lineNo, field, reason }) => ({ lineNo, field, reason })),
  };
}

function shown(line: Record<string, unknown>) {
  const { line_type: type, provider_transaction_id: id, net_amount: net, crypto_amount: coins } = line;
  return {
    type,
    id,
    net,
    gross: line["fiat_gross"],
    currency: line["fiat_currency"],
    coins,
    at: line["effective_at"],
  };
}

describe("what is owed", () => {
  const gross = { model: "gross", line_types: { sale: "charge", fee: "fee", correction: "adjustment" } };

  test("a fee in a row of its own counts, although the column of fees says zero", async () => {
    const { lines } = await read(
      { ...gross, columns: { ...columns, fee_processing: "fee" }, fees_deducted: ["fee_processing"] },
      `id,type,state,ccy,gross,fee,time\nA,sale,ok,EUR,100,1,${time}\nA,fee,ok,EUR,-2.50,0.00,${time}\n`,
    );
    expect(lines).toMatchObject([
      { type: "charge", net: "99" },
      { type: "fee", net: "-2.5" },
    ]);
  });

  test("fees with a minus sign lower what is owed, where the profile says so; one without is given back", async () => {
    const file = `id,type,state,ccy,gross,fee,time\nA,sale,ok,EUR,100,-2.00,${time}\nB,sale,ok,EUR,100,0.50,${time}\n`;
    const profile = {
      ...gross,
      columns: { ...columns, fee_processing: "fee" },
      fees_deducted: ["fee_processing"],
    };
    expect((await read({ ...profile, fee_sign: "ledger" }, file)).lines).toMatchObject([
      { net: "98" },
      { net: "100.5" },
    ]);
    expect((await read(profile, file)).lines).toMatchObject([{ net: "102" }, { net: "99.5" }]);
  });

  test("a fee of zero beside an amount is not guessed at, unless the profile says that the zero means nothing", async () => {
    const file = `id,type,state,ccy,gross,fee,time\nA,sale,ok,EUR,100,1,${time}\nA,fee,ok,EUR,2.50,0.00,${time}\n`;
    const profile = {
      ...gross,
      columns: { ...columns, fee_processing: "fee" },
      fees_deducted: ["fee_processing"],
    };
    const { lines, rejects } = await read(profile, file);
    expect(lines).toMatchObject([{ type: "charge" }]);
    expect(rejects).toMatchObject([
      { lineNo: 3, field: "fee_total", reason: expect.stringContaining("what was charged") as string },
    ]);
    const said = await read({ ...profile, sentinels: { fee_processing: ["0.00"] } }, file);
    expect(said.lines).toMatchObject([
      { type: "charge", net: "99" },
      { type: "fee", net: "-2.5" },
    ]);
  });

  test("a correction that stands in the net alone counts", async () => {
    const { lines } = await read(
      { ...gross, columns: { ...columns, fiat_net: "net" } },
      `id,type,state,ccy,gross,net,time\nA,sale,ok,EUR,100,99,${time}\nA,correction,ok,EUR,0.00,-5.00,${time}\n`,
    );
    expect(lines.map(({ type, net }) => [type, net])).toEqual(
      expect.arrayContaining([
        ["adjustment", "-5"],
        ["charge", "99"],
      ]),
    );
  });

  test("words for a debit are known in any case", async () => {
    const { lines } = await read(
      { columns: { ...columns, net_amount: "owed", net_direction: "way" }, debit_words: ["debit"] },
      `id,type,state,ccy,gross,owed,way,time\nA,,ok,EUR,100,1.00,Credit,${time}\nB,,ok,EUR,100,1.00,DEBIT,${time}\n`,
    );
    expect(lines).toMatchObject([{ net: "1" }, { net: "-1" }]);
  });

  test("a direction is not taken for a credit where no word for a debit is known", async () => {
    const account = `careless ${++made}`;
    const bench = await openBench(database.db, account);
    const profile = parseProfile({
      ...shared,
      columns: { ...columns, net_amount: "owed", net_direction: "way" },
    });
    await expect(
      bench.import("own.csv", `id,type,state,ccy,gross,owed,way,time\nA,,ok,EUR,100,1.00,DR,${time}\n`, {
        profiles: [profile],
      }),
    ).rejects.toThrow(/"DR" may be a debit: name the words for one in debit_words/);
  });

  test("a credit below zero is one taken back", async () => {
    const { lines } = await read(
      { columns: { ...columns, net_debit: "debit", net_credit: "credit" } },
      `id,type,state,ccy,gross,debit,credit,time\nA,,ok,KWD,100,,(1.500),${time}\nB,,ok,KWD,100,-0.250,,${time}\n`,
    );
    expect(lines).toMatchObject([{ net: "-1.5" }, { net: "-0.25" }]);
  });
});

describe("amounts", () => {
  const european = { decimal: ",", grouping: ".", delimiter: ";", constants: { asset: "btc" } };
  const withCoins = { ...columns, crypto_amount: "coins" };
  const rows = (coins: string) =>
    `id;type;state;ccy;gross;coins;time\nA;;ok;EUR;1.234,50;0,5;${time}\nB;;ok;EUR;1.234,50;${coins};${time}\n`;

  test("0.005 is not five where points group thousands", async () => {
    const { lines, rejects } = await read({ ...european, columns: withCoins }, rows("0.005"));
    expect(lines).toMatchObject([{ id: "A", gross: "1234.5", coins: "0.5" }]);
    expect(rejects).toMatchObject([{ lineNo: 3, field: "crypto_amount" }]);
  });

  test("coins may be written in another form than money", async () => {
    const profile = { ...european, columns: withCoins, coin_numbers: { decimal: "." } };
    const { lines, rejects } = await read(profile, rows("0.005").replace("0,5", "1.25"));
    expect(rejects).toEqual([]);
    expect(lines).toMatchObject([{ coins: "1.25" }, { gross: "1234.5", coins: "0.005" }]);
  });

  test.each([
    ["$1,234.50", "1234.5"],
    ["($1,234.50)", "-1234.5"],
    ["-$5", "-5"],
    ["US$ 5.00", "5"],
    ["5.00 USD", "5"],
    ["5.00- USD", "-5"],
  ])("%s is read where the profile names its mark", async (text, gross) => {
    const { lines } = await read(
      { grouping: ",", amount_marks: ["$", "US$", "USD"] },
      `id,type,state,ccy,gross,time\nA,,ok,USD,"${text}",${time}\n`,
    );
    expect(lines).toMatchObject([{ gross }]);
  });

  test("a coin amount without a coin costs its row and not the file; a zero without one is filler", async () => {
    const { lines, rejects } = await read(
      { columns: { ...withCoins, asset: "coin" } },
      `id,type,state,ccy,gross,coin,coins,time\nA,,ok,EUR,5,,0.1,${time}\nB,,ok,EUR,5,,0,${time}\n`,
    );
    expect(lines).toMatchObject([{ id: "B", coins: null }]);
    expect(rejects).toMatchObject([
      { lineNo: 2, field: "asset", reason: expect.stringContaining("constants") as string },
    ]);
  });
});

test("what never changes is said once in the profile, and needs no column", async () => {
  const { status: _, fiat_currency: __, ...rest } = columns;
  const { lines } = await read(
    { columns: rest, constants: { fiat_currency: "USD", status: "ok" } },
    `id,type,gross,time\nA,,5.00,${time}\n`,
  );
  expect(lines).toMatchObject([{ gross: "5", currency: "USD" }]);
});

describe("ids that a spreadsheet has touched", () => {
  test.each(["7.02604E+15", "7,02604E+15", "7e+15"])(
    "%s is refused, because its last digits are gone",
    async (id) => {
      const { lines, rejects } = await read(
        {},
        `id,type,state,ccy,gross,time\n"${id}",,ok,EUR,5,${time}\nB,,ok,EUR,5,${time}\n`,
      );
      expect(lines).toMatchObject([{ id: "B" }]);
      expect(rejects).toMatchObject([
        {
          lineNo: 2,
          field: "provider_transaction_id",
          reason: expect.stringContaining("took for a number") as string,
        },
      ]);
    },
  );

  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const number = (value: string) => `<c><v>${value}</v></c>`;
  const bookOf = (ids: readonly string[]) => {
    const names = ["id", "type", "state", "ccy", "gross", "time"].map(text).join("");
    const rows = ids.map(
      (id) => `<row>${id}${text("")}${text("ok")}${text("EUR")}${number("5")}${text(time)}</row>`,
    );
    return rawWorkbook(`<row>${names}</row>${rows.join("")}`);
  };

  test("in a workbook, one whose last digits may have been rounded away is refused", async () => {
    const ids = [
      number("7026040100012340"),
      number("7.0260401000123E+15"),
      number("12345"),
      text("7026040100012350"),
    ];
    const { lines, rejects } = await read({}, await bookOf(ids), "own.xlsx");
    expect(lines.map(({ id }) => id)).toEqual(["12345", "7026040100012350"]);
    expect(rejects.map(({ lineNo }) => lineNo)).toEqual([2, 3]);
  });

  test("in a workbook whose numbers have more digits than a spreadsheet keeps, none is", async () => {
    const ids = ["7026040100012340", "7026040100012344", "7026040100012350"];
    const { lines, rejects } = await read({}, await bookOf(ids.map(number)), "own.xlsx");
    expect(rejects).toEqual([]);
    expect(lines.map(({ id }) => id)).toEqual(ids);
  });

  test('="00123" is 00123', async () => {
    const { lines } = await read(
      {},
      `id,type,state,ccy,gross,time\n="00123",,ok,EUR,5,${time}\n"=""00124""",,ok,EUR,5,${time}\n`,
    );
    expect(lines.map(({ id }) => id)).toEqual(["00123", "00124"]);
  });
});

describe("times", () => {
  test.each([
    ["MMM DD, YYYY hh:mm A", "America/New_York", "Mar 8, 2026 12:30 AM", "2026-03-08T05:30:00.000Z"],
    ["MMM DD, YYYY hh:mm A", "America/New_York", "Mar 8, 2026 12:30 PM", "2026-03-08T16:30:00.000Z"],
    ["DD MMM YYYY", "UTC", "3 September 2026", "2026-09-03T00:00:00.000Z"],
    ["DD.MM.YY", "UTC", "03.05.26", "2026-05-03T00:00:00.000Z"],
    ["MM/DD/YY hh:mm A", "America/New_York", "5/3/26 1:05 PM", "2026-05-03T17:05:00.000Z"],
    ["excel", "Asia/Kuwait", "46091.625", "2026-03-10T12:00:00.000Z"],
    ["excel", "UTC", "46091,5", "2026-03-10T12:00:00.000Z"],
    // The clocks of Beirut go from midnight to one: the day has begun all the same.
    ["DD.MM.YYYY", "Asia/Beirut", "29.03.2026", "2026-03-28T22:00:00.000Z"],
  ])("%s in %s: %s is %s", async (format, zone, text, expected) => {
    const { lines } = await read(
      { time: { format, zone } },
      `id,type,state,ccy,gross,time\nA,,ok,EUR,5,"${text}"\n`,
    );
    expect(lines.map(({ at }) => new Date(at as string).toISOString())).toEqual([expected]);
  });

  test.each([
    ["MMM DD, YYYY hh:mm A", "Mar 8, 2026 13:30 PM"],
    ["MMM DD, YYYY hh:mm A", "Foo 8, 2026 1:30 PM"],
    ["excel", "12"],
  ])("%s is refused for %s", async (format, text) => {
    await expect(
      read({ time: { format } }, `id,type,state,ccy,gross,time\nA,,ok,EUR,5,"${text}"\n`),
    ).rejects.toThrow(/is not a time written/);
  });

  test.each([
    ["es", "DD-MMM-YYYY", "03-ene-2026", "2026-01-03"],
    ["es-CL", "DD MMM YYYY", "3 Sept. 2026", "2026-09-03"],
    ["de", "DD. MMM YYYY", "3. Mär 2026", "2026-03-03"],
    ["fr", "DD MMM YYYY", "3 fevr. 2026", "2026-02-03"],
    ["pl", "DD MMM YYYY", "3 stycznia 2026", "2026-01-03"],
    ["pl", "DD MMM YYYY", "3 styczeń 2026", "2026-01-03"],
    ["ru", "DD MMM YYYY", "3 мая 2026", "2026-05-03"],
    ["fa", "DD MMM YYYY", "3 ژانویه 2026", "2026-01-03"],
  ])("months are named in %s: %s, %s", async (language, format, text, expected) => {
    const { lines } = await read(
      { time: { format, language } },
      `id,type,state,ccy,gross,time\nA,,ok,EUR,5,"${text}"\n`,
    );
    expect(lines.map(({ at }) => new Date(at as string).toISOString().slice(0, 10))).toEqual([expected]);
  });

  test("a month that may be two is refused, and so is a language that there is not", async () => {
    const file = (month: string) => `id,type,state,ccy,gross,time\nA,,ok,EUR,5,3 ${month} 2026\n`;
    const french = { format: "DD MMM YYYY", language: "fr" };
    await expect(read({ time: french }, file("jui"))).rejects.toThrow(/is not a time written/);
    await expect(read({ time: { format: "DD MMM YYYY" } }, file("ene"))).rejects.toThrow(
      /is not a time written/,
    );
    await expect(read({ time: { ...french, language: "klingon!" } }, file("juin"))).rejects.toThrow(
      /time\.language: "klingon!" is not a language/,
    );
  });

  test("a year is written with two digits or with four, never with either", async () => {
    const file = (day: string) => `id,type,state,ccy,gross,time\nA,,ok,EUR,5,${day}\n`;
    await expect(read({ time: { format: "DD.MM.YY" } }, file("03.05.2026"))).rejects.toThrow(
      /not a time written/,
    );
    await expect(read({ time: { format: "DD.MM.YYYY" } }, file("03.05.26"))).rejects.toThrow(
      /not a time written/,
    );
  });

  test("a day in a workbook is of the profile's zone, whatever the form", async () => {
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
    const header = `<row>${["id", "type", "state", "ccy", "gross", "time"].map(text).join("")}</row>`;
    const row = `<row>${text("A")}${text("")}${text("ok")}${text("JPY")}<c><v>5</v></c><c s="1"><v>46091.5</v></c></row>`;
    const file = await rawWorkbook(header + row, {
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="sheet.xml"/><Relationship Id="st" Type="x/styles" Target="styles.xml"/></Relationships>`,
      "xl/styles.xml": `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
    });
    for (const format of ["iso", "unix_ms", "excel", "MMM DD, YYYY hh:mm A", "DD.MM.YY HH:mm"]) {
      const { lines } = await read({ time: { format, zone: "Asia/Tokyo" } }, file, "own.xlsx");
      expect(lines.map(({ at }) => new Date(at as string).toISOString())).toEqual([
        "2026-03-10T03:00:00.000Z",
      ]);
    }
  });
});

test("the encoding of a kept profile is used for the next file, which names none", async () => {
  const bench = await openBench(database.db, "encodings");
  const profile = parseProfile({
    ...shared,
    encoding: "windows-1252",
    columns: { ...columns, fiat_currency: "Währung" },
    required: ["provider_transaction_id", "fiat_currency", "effective_at"],
  });
  const latin = (text: string) => Buffer.from(text, "latin1");
  const header = "id,type,state,Währung,gross,time\n";
  const imported = await bench.import("own.csv", latin(`${header}A,,ok,EUR,5,${time}\n`), {
    profiles: [profile],
  });
  expect(imported.statement).toMatchObject({ encoding: "windows-1252", rowsAccepted: 1 });
  // Of a file with a plain start, the letters that tell may come late.
  const plain = parseProfile({ ...shared, columns, encoding: "windows-1252" });
  const many = Array.from({ length: 9_000 }, (_, at) => `B${at},,ok,EUR,5,${time}\n`).join("");
  const late = `id,type,state,ccy,gross,time\n${many}Ü,,ok,EUR,5,${time}\n`;
  const second = await bench.import("late.csv", latin(late), { profiles: [plain] });
  expect(second.statement).toMatchObject({ encoding: "windows-1252", rowsAccepted: 9_001 });
});

test("a file that was read by older rules, and would now be read otherwise, is to be imported again", async () => {
  const bench = await openBench(database.db, "older rules");
  const given = {
    ...shared,
    columns: { ...columns, net_amount: "owed", net_direction: "way" },
    debit_words: ["dr"],
  };
  const file = `id,type,state,ccy,gross,owed,way,time\nA,,ok,EUR,100,1.00,DR,${time}\n`;
  const { statement } = await bench.import("own.csv", file, { profiles: [parseProfile(given)] });
  const ofThis = async () => (await verifyStatements(database.db)).map(({ problem }) => problem);
  expect(await ofThis()).toEqual([]);
  await database.db.query(
    `update tieout.statements
     set parser_version = 1, profile_used = jsonb_set(profile_used, '{debit_words}', '["other"]')
     where id = $1`,
    [statement.id],
  );
  const problems = await ofThis();
  expect(problems).not.toEqual([]);
  for (const problem of problems) expect(problem).toMatch(/withdraw it and import it again$/);
});
