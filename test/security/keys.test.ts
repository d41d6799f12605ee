import { beforeAll, describe, expect, test } from "vitest";
import { parseApiKey } from "../../src/core/api-key.ts";
import { type Scope, scopes } from "../../src/core/scopes.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { extensions } from "../api/every-route.ts";
import { aRecord, anAccount, keep } from "../api/some-records.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const server = useApi(database, { extensions });
let admin = "";
let account = 0;
beforeAll(async () => {
  account = await anAccount(database.db, "main");
  await keep(database.db, account, [aRecord(1), aRecord(2)]);
  admin = await aKey(database.db, "admin");
});

const idOf = (key: string) => `key_${parseApiKey(key)?.id}`;
const scoped = (...wanted: Scope[]) => aKey(database.db, "custom", { scopes: wanted });

describe("a key that may make keys", () => {
  test("cannot replace one that may do more, and the victim goes on", async () => {
    const small = await scoped("keys:write");
    const { status, json } = await server.send("POST", "/v1/keys", small, {
      name: "x",
      scopes: ["keys:write"],
      replaces: idOf(admin),
      overlap_seconds: 0,
    });
    expect([status, json["code"]]).toEqual([403, "scope_missing"]);
    expect((await server.get("/v1/keys", admin)).status).toBe(200);
  });

  test("cannot revoke one that may do more in any single respect", async () => {
    const allBut = (left: Scope) => scopes.filter((scope) => scope !== left);
    for (const left of scopes.filter((scope) => scope !== "keys:write")) {
      const small = await scoped(...allBut(left));
      const { status, json } = await server.send("DELETE", `/v1/keys/${idOf(admin)}`, small, undefined);
      expect([left, status, json["scopes"]]).toEqual([left, 403, [left]]);
    }
    expect((await server.get("/v1/keys", admin)).status).toBe(200);
  });

  test("revokes and replaces its equals, those below it and itself", async () => {
    const equal = await aKey(database.db, "admin");
    const below = await aKey(database.db, "viewer");
    for (const id of [idOf(equal), idOf(below)]) {
      expect((await server.send("DELETE", `/v1/keys/${id}`, admin, undefined)).status).toBe(200);
    }
    const own = await scoped("keys:write");
    const next = await server.send("POST", "/v1/keys", own, {
      name: "next",
      scopes: ["keys:write"],
      replaces: idOf(own),
    });
    expect(next.status).toBe(201);
    expect((await server.send("DELETE", `/v1/keys/${idOf(own)}`, own, undefined)).status).toBe(200);
  });

  test("makes none that outlives it", async () => {
    const brief = await aKey(database.db, "admin", { expiresInMs: 60_000 });
    for (const wanted of [{}, { expires_in_seconds: 3_600 }, { expires_in_seconds: 61 }]) {
      const { status, json } = await server.send("POST", "/v1/keys", brief, {
        name: "x",
        role: "admin",
        ...wanted,
      });
      expect(status).toBe(201);
      expect(Date.parse(String(json["expires_at"]))).toBeLessThan(Date.now() + 60_000);
    }
    const { json } = await server.send("POST", "/v1/keys", brief, { name: "x", expires_in_seconds: 5 });
    expect(Date.parse(String(json["expires_at"]))).toBeLessThan(Date.now() + 6_000);
    const lasting = await server.send("POST", "/v1/keys", admin, { name: "x" });
    // A year, and not a moment more.
    const left = Date.parse(String(lasting.json["expires_at"])) - Date.now();
    expect(Math.ceil(left / 86_400_000)).toBe(365);
  });
});

describe("a key that may write exports", () => {
  const march = { from: "2026-03-01", to: "2026-03-02", partial: "true" };

  test("has no report written that it may not read", async () => {
    const reading = `from=${march.from}&to=${march.to}&partial=true`;
    const held: Scope[][] = [
      ["exports:write"],
      ["exports:write", "reconcile:read"],
      ["exports:write", "transactions:read"],
      ["exports:write", "transactions:read", "reconcile:read"],
      ["exports:write", "transactions:read", "audit:read"],
    ];
    for (const wanted of held) {
      const key = await scoped(...wanted);
      for (const report of ["transactions", "discrepancies", "position", "audit-trail", "daily-summary"]) {
        const read = await server.get(`/v1/reports/${report}.csv?${reading}`, key);
        const written = await server.send("POST", "/v1/exports", key, { report, parameters: march });
        expect([wanted, report, written.status === 403]).toEqual([wanted, report, read.status === 403]);
      }
    }
  });

  test("neither lists nor finds files of reports that it may not read", async () => {
    const made = await server.send("POST", "/v1/exports", admin, {
      report: "transactions",
      parameters: march,
    });
    const key = await scoped("exports:write");
    for (const path of ["/v1/exports", `/v1/exports/${String(made.json["id"])}`]) {
      const { status, json } = await server.get(path, key);
      expect([path, status, json["scopes"]]).toEqual([path, 403, ["transactions:read"]]);
    }
  });
});
