import { beforeAll, expect, test } from "vitest";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let ada: VisitorOfTest;

beforeAll(async () => {
  ada = await signIn(database.db, await aPerson(database.db, everyRole));
});

const long = `/transactions?q=${"%25".repeat(4_000)}`;

test("an address that no header could carry is not carried to the sign-in", async () => {
  const place = async (path: string) =>
    (await fetch(service.url + path, { redirect: "manual" })).headers.get("location");
  expect(await place(long)).toBe("/sign-in?back=%2Foverview");
  expect(await place("/transactions?q=a")).toBe("/sign-in?back=%2Ftransactions%3Fq%3Da");
});

const saveView = (fields: { back: string; name: string; screen: string; query: string }) =>
  fetch(`${service.url}/views/save`, {
    method: "POST",
    redirect: "manual",
    headers: { ...ada.headers, origin: service.url },
    body: new URLSearchParams({ csrf: ada.csrf, form: "save-view", ...fields }),
  });

test("nor back to a form's own screen", async () => {
  const send = (back: string) => saveView({ back, name: "", screen: "x", query: "" });
  expect((await send(long)).headers.get("location")).toBe("/overview");
  expect((await send("/transactions?q=a")).headers.get("location")).toBe("/transactions?q=a");
});

test("and the list of transactions tidies up only what it can send back", async () => {
  const ask = (path: string) => fetch(service.url + path, { redirect: "manual", headers: ada.headers });
  expect((await ask(`${long}&status=`)).headers.get("location")).toBeNull();
  expect((await ask("/transactions?q=a&status=")).headers.get("location")).toBe("/transactions?q=a");
});

test("a view whose filters are too long is refused, and not saved with some of them", async () => {
  const transaction_id = Array.from({ length: 200 }, (_, n) => `01K6FJ4Z7M${n}`).join(",");
  const view = { back: "/transactions", screen: "/transactions" };
  const refused = await saveView({ ...view, name: "many", query: `transaction_id=${transaction_id}` });
  expect(refused.headers.get("location")).toBe("/transactions");
  const cookie = [ada.headers["cookie"], ...refused.headers.getSetCookie()].join("; ");
  const page = await fetch(`${service.url}/transactions`, { headers: { ...ada.headers, cookie } });
  expect(await page.text()).toContain("too long to be saved");
  await saveView({ ...view, name: "few", query: "status=failed" });
  expect(await database.db.query("select name, query from tieout.saved_views")).toEqual([
    { name: "few", query: "status=failed" },
  ]);
});
