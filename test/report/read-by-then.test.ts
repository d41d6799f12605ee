import { expect, test } from "vitest";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, keepTransactions } from "./books.ts";

const database = useTestDatabase();
const server = useApi(database, {
  extensions: [(api) => reportRoutes({ database: database.db, rowsMax: 1_000, places: { max: 2 } })(api)],
});

test("of a period that had not been read by the time whose knowledge is asked for is refused, and says so", async () => {
  const late = await keepAccount(database.db, "late", "{[2025-03-01,2025-05-01)}");
  await keepTransactions(database.db, late, [{ transaction_id: "l1", status_date: "2025-03-25T00:00:00Z" }]);
  await database.db.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, sealed_at, ended_by)
     values ($1, 'live', '2025-03-01', '2025-03-20', 'sealed', '2025-04-02', 'absent'),
            ($1, 'live', '2025-03-20', '2025-05-01', 'sealed', '2025-05-02', 'absent')`,
    [late],
  );
  await keepAccount(database.db, "added later", "{[2025-03-01,2025-05-01)}");
  const key = await aKey(database.db, "viewer");
  const ask = (path: string) => server.get(path, key);
  const march = "/v1/reports/transactions.csv?account=late&from=2025-03-01&to=2025-04-01";
  const refused = await ask(`${march}&known_at=2025-04-05`);
  expect([refused.status, refused.json]).toMatchObject([
    409,
    {
      code: "period_not_covered",
      detail: expect.stringContaining("had not been read completely by 2025-04-05T00:00:00.000Z") as string,
      gaps: [{ account: "late", from: "2025-03-20T00:00:00.000Z", to: "2025-04-01T00:00:00.000Z" }],
    },
  ]);
  expect((await ask(`${march}&known_at=2025-04-05&partial=true`)).headers.get("report-partial")).toBe("true");
  // Without an end it goes as far as had been read by then.
  for (const more of ["known_at=2025-05-03", "partial=false"])
    expect((await ask(`${march}&${more}`)).status).toBe(200);
  const open = "/v1/reports/transactions.csv?account=late&from=2025-03-01&known_at=2025-04-05";
  expect((await ask(open)).status).toBe(200);
  // Nothing had been read at all; of an account that was added later, nothing is missing from the others.
  expect((await ask(`${march}&known_at=2025-03-05`)).status).toBe(409);
  expect((await ask(`${march}&account=added%20later&known_at=2025-05-03`)).status).toBe(200);
});
