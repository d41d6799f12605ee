import { beforeAll, describe, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);

let viewer = "";
let admin = "";
beforeAll(async () => {
  const records = Array.from({ length: 12 }, (_, n) => aRecord(n));
  await keep(database.db, await anAccount(database.db, "main"), records);
  [viewer, admin] = await Promise.all([aKey(database.db, "viewer"), aKey(database.db, "admin")]);
});

describe("a clear answer to every bad question", () => {
  test.each([
    ["limit=0", "limit", /limit is "0", and must be a whole number from 1 to 100/],
    ["limit=ten", "limit", /"ten"/],
    ["limit=1&limit=2", "limit", /more than once/],
    ["sort=amount", "sort", /sort is "amount", and can be -status_date, last_changed_at/],
    [
      "status_date[gte]=yesterday",
      "status_date[gte]",
      /status_date\[gte\] is not a day or a time: "yesterday"\. Use 2026-11-14, /,
    ],
    ["status_date[gte]=2026-02-30", "status_date[gte]", /not a day or a time/],
    ["tz=Mars/Olympus", "tz", /tz is not a time zone/],
    ["status=", "status", /status is empty/],
    ["in_amount[gte]=1e&source_currency=eur", "in_amount[gte]", /not an amount/],
    ["in_amount[gte]=1", "in_amount[gte]", /needs one source_currency/],
    [
      "status_date[gte]=2026-10-05&status_date[lt]=2026-10-01",
      "status_date[lt]",
      /^status_date\[gte\] lies after status_date\[lt\], so nothing can match: swap the two\.$/,
    ],
    ["status_date[gte]=2026-10-05&status_date[lte]=2026-10-04", "status_date[lte]", /swap the two/],
    [
      "last_changed_at[gt]=2026-10-05T00:00:00.5Z&last_changed_at[lt]=2026-10-05T00:00:00Z",
      "last_changed_at[lt]",
      /swap the two/,
    ],
    [
      "in_amount[gt]=10&in_amount[lte]=9.5&source_currency=eur",
      "in_amount[lte]",
      /in_amount\[gt\] lies after in_amount\[lte\]/,
    ],
    ["in_amount[gte]=1&source_currency=eur,jpy", "in_amount[gte]", /needs one source_currency/],
    ["expand[]=everything", "expand[]", /can be statuses/],
    ["cursor=abc", "cursor", /cursor is not one of ours/],
    ["cursor=x&starting_after=y", "starting_after", /exclude each other/],
    ["starting_after=nobody", "starting_after", /names no transaction/],
    ["is_final=maybe", "is_final", /true or false/],
    ["q=%00", "q", /NUL/],
    ["account=main,mian", "account", /no account that you may see: "mian"\. GET \/v1\/accounts lists them/],
  ])("%s", async (query, param, says) => {
    const { status, json, headers } = await list(query);
    expect([status, json["code"], json["param"]]).toEqual([400, "invalid_parameter", param]);
    expect(json["detail"]).toMatch(says);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toMatchObject({
      instance: "/v1/transactions",
      request_id: "made-1",
      type: "/docs/errors#invalid_parameter",
    });
  });

  test("an id with something behind it is the id of nothing", async () => {
    const { status, json } = await server.get("/v1/matches?line=lin_1_2", viewer);
    expect([status, json["param"]]).toEqual([400, "line"]);
  });

  test.each([
    ["approvals?state=propsed", "state", /can be proposed, approved, /],
    ["people?state=active,gone", "state", /state is "gone", and can be invited, /],
  ])("a word that cannot be: %s", async (path, param, says) => {
    const { status, json } = await server.get(`/v1/${path}`, admin);
    expect([status, json["code"], json["param"]]).toEqual([400, "invalid_parameter", param]);
    expect(json["detail"]).toMatch(says);
  });

  test("an account that does not exist, or that the key may not see, is refused by every list that filters by it", async () => {
    const other = await anAccount(database.db, "other");
    const limited = await aKey(database.db, "viewer", { accountIds: [other] });
    for (const path of ["transactions", "discrepancies", "matches", "payouts", "sync/windows"]) {
      expect((await server.get(`/v1/${path}?account=other`, limited)).status, path).toBe(200);
      for (const name of ["main", "absent"]) {
        const { status, json } = await server.get(`/v1/${path}?account=${name}`, limited);
        expect([status, json["param"]], path).toEqual([400, "account"]);
      }
    }
  });

  test("an unknown parameter is named together with the nearest known one", async () => {
    const { json } = await list("limt=5&statsu=x");
    expect(json).toMatchObject({ code: "unknown_parameter", param: "limt" });
    expect(json["errors"]).toMatchObject([
      { path: "limt", message: expect.stringContaining("Did you mean limit?") as string },
      { path: "statsu", message: expect.stringContaining("Did you mean status?") as string },
    ]);
  });

  test("all problems come at once", async () => {
    const { json } = await list("limit=0&sort=x&nonsense=1&status_date[lt]=never");
    const paths = (json["errors"] as { path: string }[]).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["limit", "nonsense", "sort", "status_date[lt]"]);
  });

  test("a cursor of other filters or another sort is refused", async () => {
    const { json } = await list("limit=1&status=completed");
    const cursor = String(json["next_cursor"]);
    for (const query of ["status=failed", "", "status=completed&sort=last_changed_at"]) {
      expect((await list(`${query}&cursor=${cursor}`)).json["code"]).toBe("cursor_mismatch");
    }
    expect((await list(`status=completed&limit=3&cursor=${cursor}`)).status).toBe(200);
  });

  test("a forged cursor is refused, whatever position it claims", async () => {
    const { json } = await list("limit=1");
    const [version, sort, digest] = JSON.parse(
      Buffer.from(String(json["next_cursor"]), "base64url").toString(),
    ) as string[];
    for (const position of [
      ["2026-13-45 00:00:00+00", "x", "1"],
      ["now()", "x", "1"],
      ["2026-01-01 00:00:00+00", "x"],
      [1, 2, 3],
    ]) {
      const cursor = Buffer.from(JSON.stringify([version, sort, digest, ...position])).toString("base64url");
      const answer = await list(`cursor=${cursor}`);
      expect([answer.status, answer.json["code"]]).toEqual([400, "invalid_parameter"]);
    }
  });
});

function list(query: string) {
  return server.get(`/v1/transactions?${query}`, viewer);
}

test("a range that holds a moment or a whole day is none that ends before it begins", async () => {
  for (const range of [
    "status_date[gte]=2026-10-05&status_date[lt]=2026-10-05",
    "status_date[gte]=2026-10-05T12:00:00Z&status_date[lte]=2026-10-05",
    "in_amount[gte]=1&in_amount[lte]=1.0&source_currency=eur",
  ])
    expect(await server.get(`/v1/transactions?${range}`, viewer)).toMatchObject({ status: 200 });
});

test.each(["value[gte]=5&value[lte]=4&value_currency=EUR", "age_days[gte]=3&age_days[lte]=2"])(
  "discrepancies in a reversed range, %s, are refused as well",
  async (range) => {
    const answer = await server.get(`/v1/discrepancies?${range}`, viewer);
    expect(answer).toMatchObject({ status: 400, json: { code: "invalid_parameter" } });
    expect(answer.json["detail"]).toContain("swap the two");
  },
);
