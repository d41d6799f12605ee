import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { jobs } from "../../jobs/queues.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
let admin = "";
beforeAll(async () => {
  admin = await aKey(database.db, "admin");
});

test("every route answers with the headers that keep browsers from doing harm", async () => {
  const routes = [...server.api.access.keys()].filter((name) => name.startsWith("GET "));
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    const path = route.replace("GET ", "").replaceAll(/\{\w+\}|:\w+/g, "some-id");
    for (const key of [admin, null]) {
      const { headers, status } = await server.get(path, key);
      const policy = headers.get("content-security-policy") ?? "";
      expect([route, status, policy]).toEqual([route, status, expect.stringContaining("default-src 'none'")]);
      expect([route, policy]).toEqual([route, expect.stringContaining("frame-ancestors 'none'")]);
      expect([route, headers.get("x-content-type-options")]).toEqual([route, "nosniff"]);
      const isData = /^GET \/(v1|mirror)\//.test(route) && status === 200;
      const kept = headers.get("cache-control") ?? "";
      expect([route, isData && !/no-cache|no-store/.test(kept)]).toEqual([route, false]);
    }
  }
});

describe("what comes in has limits:", () => {
  test("a body nested thirty thousand deep is refused like any other that is not understood", async () => {
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    for (const body of [deep, `{"name":${deep}}`, "[".repeat(60_000)]) {
      const { status, json } = await server.send("POST", "/v1/keys", admin, body);
      expect([status, json["code"]]).toEqual([400, "invalid_body"]);
    }
  });

  test("headers of a hundred kilobytes are refused, and the next request is served", async () => {
    const status = await new Promise<number | string>((resolve) => {
      const asking = request(
        `${server.url}/livez`,
        { headers: { "x-long": "x".repeat(100_000) } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      // The server may close the connection while the rest is still being sent.
      asking.on("error", (error) => resolve(error.message));
      asking.end();
    });
    expect([431, "read ECONNRESET", "write EPIPE"]).toContain(status);
    expect((await server.get("/livez", null)).status).toBe(200);
  });

  test("a body that says it is compressed is not unfolded", async () => {
    const { status } = await server.send("POST", "/v1/keys", admin, '{"name":"x"}', {
      "content-encoding": "gzip",
    });
    expect(status).toBeLessThan(500);
  });
});

test("the payload of a job holds ids, and nothing else fits in", () => {
  for (const [name, { payload }] of Object.entries(jobs)) {
    const fields = Object.keys(payload.shape);
    expect([name, fields.filter((field) => !["accountId", "exportId"].includes(field))]).toEqual([name, []]);
    expect([name, payload.safeParse({ accountId: 1, exportId: "e", apiSecret: "canary" }).success]).toEqual([
      name,
      false,
    ]);
  }
});

test.each(["transaction_statuses", "statement_lines", "discrepancy_events", "audit_log"])(
  "%s refuses to be changed, thinned out or emptied",
  async (table) => {
    const triggers = await database.db.query<{ does: string }>(
      `select lower(pg_get_triggerdef(oid)) as does
     from pg_trigger
     where tgrelid = format('tieout.%s', $1::text)::regclass and tgenabled <> 'D' and not tgisinternal`,
      [table],
    );
    const all = triggers.map(({ does }) => does).join("\n");
    for (const event of ["update", "delete"])
      expect(all).toMatch(new RegExp(`before [a-z ]*${event}[^\\n]* for each row`));
    expect(all).toMatch(/before truncate[^\n]* for each statement/);
    await expect(database.db.query(`truncate tieout.${table} cascade`)).rejects.toThrow("append-only");
  },
);
