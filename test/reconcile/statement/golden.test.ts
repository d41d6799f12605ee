import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { openBench } from "./import-for-test.ts";

const folder = "test/fixtures/statements";
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".csv"))
  .map((file) => file.replace(".csv", ""));
const database = useTestDatabase();

describe("golden statements", () => {
  test("there is one for every built-in profile", () => {
    expect(names.toSorted()).toEqual(builtInProfiles.map(({ name }) => name).toSorted());
  });

  test.each(names)("%s.csv gives the lines beside it", async (name) => {
    const bench = await openBench(database.db, name);
    const provider = ["generic", "commission-summary"].includes(name) ? "neocrypto" : null;
    const { statement } = await bench.import(`${name}.csv`, await readFile(join(folder, `${name}.csv`)), {
      provider,
    });
    const found = {
      provider: statement.provider,
      profile: statement.profile,
      rows: {
        of_file: statement.rowsOfFile,
        read: statement.rowsRead,
        accepted: statement.rowsAccepted,
        rejected: statement.rowsRejected,
      },
      totals: statement.totals,
      lines: await lines(name),
    };
    const expectedFile = join(folder, `${name}.expected.json`);
    if (process.env["WRITE_GOLDEN"]) await writeFile(expectedFile, `${JSON.stringify(found, null, 2)}\n`);
    expect(found).toEqual(JSON.parse(await readFile(expectedFile, "utf8")));
  });
});

/** Without what is empty, so that an eye can go down the list beside the file. */
async function lines(account: string): Promise<object[]> {
  const rows = await database.db.query<Record<string, unknown>>(
    `select line_no, line_key, line_type, side, provider_status, status, provider_transaction_id, our_reference, payout_ref,
            fiat_currency, fiat_gross::text, fiat_net::text, asset, network, crypto_amount::text, fee_total::text,
            fee_processing::text, fee_network::text, fee_partner::text, fee_currency, rate::text, net_amount::text,
            net_currency, transaction_hash, wallet_address, address_tag,
            to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
            to_char(effective_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as effective_at, extra
     from reporting.statement_lines
     where account = $1
     order by line_no`,
    [account],
  );
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
}
