import { expect, test } from "vitest";
import type { Api } from "../../src/api/deps.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { addMissingOrder, openMonth, signingKey } from "../close/a-month.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const extend = (api: Api) => periodRoutes({ database: database.db, signingKey })(api);
const server = useApi(database, { extensions: [extend] });

test("a preparation that an approval finds changed has lapsed, also with an Idempotency-Key", async () => {
  const [alice, bob] = await Promise.all(
    ["Alice", "Bob"].map(async (name) =>
      aKey(database.db, "admin", { ownerId: await aPerson(database.db, everyRole, { name }) }),
    ),
  );
  const books = await openMonth(database.db);
  const path = (action: string) => `/v1/periods/2026-03${action}?account=${encodeURIComponent(books.name)}`;
  const prepared = await server.send("POST", path("/prepare"), alice ?? "", {});
  const seen = { pack_sha256: prepared.json["pack_sha256"] };
  await addMissingOrder(books, "late");

  const once = { "idempotency-key": "approve-march" };
  const refused = await server.send("POST", path("/approve"), bob ?? "", seen, once);
  expect([refused.status, refused.json["code"]]).toEqual([409, "period_refused"]);
  expect(refused.json["detail"]).toContain("its signature has lapsed");
  const { json } = await server.get(path(""), alice ?? "");
  expect([json["state"], json["events"]]).toMatchObject([
    "open",
    [{ event: "prepared" }, { event: "lapsed" }],
  ]);
  // A refusal is not kept: the same request says what is so now.
  const again = await server.send("POST", path("/approve"), bob ?? "", seen, once);
  expect([again.status, again.json["detail"]]).toEqual([409, expect.stringContaining("is open")]);
});
