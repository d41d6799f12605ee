import { beforeAll, describe, expect, test } from "vitest";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeFile } from "./statement-file.ts";

const header =
  "provider_transaction_id,line_type,status,fiat_currency,fiat_gross,effective_at,payout_ref,net_amount,balance";
/** 100 and 77.25 less 0.25 come to 177, all of which is paid out but 27; then it says what is left. */
const ledger = [
  "C-1,commission,,EUR,,2026-10-10T00:00:00Z,P-1,100,",
  "C-2,commission,,EUR,,2026-10-11T00:00:00Z,P-1,77.25,",
  "F-1,fee,,EUR,,2026-10-11T00:00:00Z,P-1,-0.25,",
  "P-1,payout,,EUR,,2026-10-12T00:00:00Z,P-1,150,",
  ",balance,,EUR,,2026-11-01T00:00:00Z,,,27",
  "C-3,commission,,USD,,2026-10-13T00:00:00Z,,40,",
];

describe("the sums of a statement", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  let cookie: string;
  beforeAll(async () => {
    await seedPage(database.db, Date.now());
    cookie = await cookieOf(database.db, await aPerson(database.db, everyRole));
    await takeFile(database.db, {
      name: "ledger.csv",
      text: `${[header, ...ledger].join("\n")}\n`,
      provider: "ledgerco",
    });
    await takeFile(database.db, {
      name: "plain.csv",
      text: `${[header, "C-9,commission,,EUR,,2026-10-10T00:00:00Z,,12.5,"].join("\n")}\n`,
      provider: "plainco",
    });
    const lines = many.map((code, at) => `M-${at},commission,,${code},,2026-10-10T00:00:00Z,M,${at + 1},`);
    await takeFile(database.db, {
      name: "many.csv",
      text: `${[header, ...lines, "M,payout,,EUR,,2026-10-12T00:00:00Z,M,4,"].join("\n")}\n`,
      provider: "manyco",
    });
  });

  const many = ["AUD", "CAD", "CHF", "DKK", "EUR", "SEK"];

  async function statement(id: number): Promise<string> {
    const answer = await fetch(`${service.url}/statements/${id}?wait=true`, { headers: { cookie } });
    expect(answer.status).toBe(200);
    return answer.text();
  }

  test("keep payouts and balances out of what is owed, and show what is left", async () => {
    const foot = rowsOf(tableAfter(await statement(1), "class-totals").split("<tfoot>")[1]);
    expect(foot).toEqual([
      ["Charges, refunds and fees", "4", "177", "40"],
      ["less paid out", "1", "-150", "0"],
      ["stated only", "1", "none", "none"],
      ["All lines: left", "6", "27", "40"],
    ]);
  });

  test("are those of its lines, class by class", async () => {
    const table = tableAfter(await statement(1), "class-totals");
    const body = rowsOf(table.split("<tbody>")[1]?.split("</tbody>")[0]);
    const add = (at: number) => body.reduce((sum, cells) => sum + Number(cells[at]?.replace("none", "0")), 0);
    expect([add(1), add(2), add(3)]).toEqual([6, 177, 40]);
  });

  test("are one row where a file pays out nothing", async () => {
    const foot = rowsOf(tableAfter(await statement(2), "class-totals").split("<tfoot>")[1]);
    expect(foot).toEqual([["All lines", "1", "12.5"]]);
  });

  test("have a row for each currency where columns would not fit", async () => {
    const table = tableAfter(await statement(3), "class-totals");
    const titles = [...table.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, title]) => title);
    const [body = "", foot] = table.split("<tbody>")[1]?.split("<tfoot>") ?? [];
    const cells = rowsOf(body).map((row) => [row[0], ...row.slice(-3)]);
    expect(titles.slice(-3)).toEqual(["Charges, refunds and fees", "less paid out", "All lines: left"]);
    expect(cells).toEqual(
      many.map((code, at) => {
        const paid = code === "EUR" ? 4 : 0;
        return [code, `${at + 1}`, `${-paid || 0}`, `${at + 1 - paid}`];
      }),
    );
    expect(rowsOf(foot)[0]?.slice(-3)).toEqual(["6", "1", "7"]);
  });

  test("say which currencies the file is about", async () => {
    const currencies = (html: string) => /<dt>Currencies<\/dt><dd>([^<]*)</.exec(html)?.[1];
    expect(currencies(await statement(1))).toBe("EUR, USD");
    expect(currencies(await statement(3))).toBe(many.join(", "));
  });

  test("name a payout and a balance for what they are in the control totals", async () => {
    const table = tableAfter(await statement(1), 'id="totals"');
    expect([...table.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, title]) => title)).toEqual([
      "Type",
      "Payout",
      "Lines",
      "Gross",
      "Fees",
      "Owed to us",
      "Paid out",
      "Stated",
    ]);
    const rows = rowsOf(table.split("<tbody>")[1]).map(([type, , lines, , , ...net]) => [
      type,
      lines,
      ...net,
    ]);
    expect(rows).toEqual([
      ["balance", "1", "none", "none", "27"],
      ["commission", "2", "177.25", "none", "none"],
      ["fee", "1", "-0.25", "none", "none"],
      ["payout", "1", "none", "150", "none"],
      ["commission", "1", "40", "none", "none"],
    ]);
  });
});

function tableAfter(html: string, place: string): string {
  const [, after = ""] = html.split(place);
  return after.slice(0, after.indexOf("</table>"));
}

/** Cell by cell: exact amounts, and other cells as they are read out. */
function rowsOf(html = ""): string[][] {
  return [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(
      ([, cell = ""]) =>
        /<data value="([^"]+)"/.exec(cell)?.[1] ??
        cell.replaceAll(/<span aria-hidden="true">[^<]*<\/span>|<[^>]*>/g, "").trim(),
    ),
  );
}
