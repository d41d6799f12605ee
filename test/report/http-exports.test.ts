import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportRoutes } from "../../src/api/exports/routes.ts";
import { runExports } from "../../src/report/run-export.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { openFolder } from "../support/open-folder.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, keepTransactions, parseCsv } from "./books.ts";

const database = useTestDatabase();
const keys: Record<string, string> = {};
const enqueued: string[] = [];
let nowMs = Date.UTC(2026, 10, 14);
const folder = await openFolder("tieout-http-");
const server = useApi(database, {
  now: () => nowMs,
  extensions: [
    (api) =>
      exportRoutes({
        database: database.db,
        files: createFolderFiles(folder),
        randomBytes,
        unfinishedMax: 3,
        enqueue: async (id) => void enqueued.push(id),
      })(api),
  ],
});

beforeAll(async () => {
  const eu = await keepAccount(database.db, "eu");
  const us = await keepAccount(database.db, "us");
  await keepTransactions(database.db, eu, [{ transaction_id: "e1", wallet_address: "bc1qexampleaddress" }]);
  await keepTransactions(database.db, us, [{ transaction_id: "u1" }, { transaction_id: "u2" }]);
  keys["viewer"] = await aKey(database.db, "viewer");
  keys["accountant"] = await aKey(database.db, "accountant");
  keys["admin"] = await aKey(database.db, "admin");
  keys["euOnly"] = await aKey(database.db, "accountant", { accountIds: [eu] });
  keys["exporter"] = await aKey(database.db, "custom", { scopes: ["transactions:read", "exports:write"] });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("an export", () => {
  test("is made, written and downloaded by a link that needs no key", async () => {
    const made = await post("/v1/exports", {
      report: "transactions",
      parameters: { from: "2026-10-01", to: "2026-11-01", account: ["us"] },
    });
    expect(made.status).toBe(202);
    const queued = (await made.json()) as Export;
    expect(queued).toMatchObject({
      object: "export",
      report: "transactions.v1",
      state: "queued",
      download_url: null,
      row_count: null,
    });
    expect(made.headers.get("location")).toBe(`/v1/exports/${queued.id}`);
    expect(enqueued).toContain(queued.id);
    await work();

    const done = await read(queued.id);
    expect(done).toMatchObject({
      state: "succeeded",
      row_count: 2,
      progress: { rows: 2, total: 2 },
      totals: { rows: 2, coverage: { complete: true } },
      error: null,
    });
    // A chat that previews the link downloads nothing; the log below has one download.
    expect((await fetch(server.url + done.download_url, { method: "HEAD" })).status).toBe(200);
    const file = await fetch(server.url + done.download_url);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-disposition")).toContain(
      "transactions_v1_2026-10-01_2026-10-31_UTC_all.csv",
    );
    expect(file.headers.get("repr-digest")).toBe(
      `sha-256=:${Buffer.from(done.sha256 ?? "", "hex").toString("base64")}:`,
    );
    expect(parseCsv(await file.text())).toHaveLength(2);
    const audit = await database.db.query(
      "select action from tieout.audit_log where subject = $1 order by number",
      [queued.id],
    );
    expect(audit).toEqual([{ action: "export.requested" }, { action: "export.downloaded" }]);
  });

  test("has a link that cannot be altered and does not last", async () => {
    const id = await exported("accountant");
    const { download_url } = await read(id);
    const url = new URL(download_url ?? "", server.url);
    const status = async (change: (one: URL) => void) => {
      const altered = new URL(url);
      change(altered);
      return (await fetch(altered)).status;
    };
    expect(await status(() => undefined)).toBe(200);
    expect(await status((one) => one.searchParams.set("expires", String(nowMs + 1e9)))).toBe(403);
    expect(await status((one) => one.searchParams.set("file", "2"))).toBe(403);
    expect(await status((one) => one.searchParams.set("signature", "x"))).toBe(403);
    expect(await status((one) => (one.pathname = one.pathname.replace(id, "exp_other")))).toBe(403);
    nowMs += 40 * 60_000;
    expect(await status(() => undefined)).toBe(403);
    expect((await fetch(server.url + (await read(id)).download_url)).status).toBe(200);
  });

  test("is offered only to keys that may see what is in it", async () => {
    const id = await exported("accountant");
    expect((await read(id, "exporter")).download_url).toBeNull();
    expect((await ask(`/v1/exports/${id}`, "euOnly")).status).toBe(404);
    const masked = await exported("exporter");
    const { download_url } = await read(masked, "exporter");
    expect(await (await fetch(server.url + download_url)).text()).toContain("bc1q…ress");
    expect((await ask(`/v1/exports/${id}`, "viewer")).status).toBe(403);
  });

  test("of a report with a scope of its own is made by, and offered to, keys that have it", async () => {
    expect((await post("/v1/exports", { report: "audit-trail" })).status).toBe(403);
    const id = await exported("admin", { report: "audit-trail" });
    const { download_url, state } = await read(id, "admin");
    expect(state).toBe("succeeded");
    expect(await (await fetch(server.url + download_url)).text()).toMatch(/^at,actor,action,/);
    expect(await read(id)).toMatchObject({ state: "succeeded", download_url: null });
  });

  test("with an Idempotency-Key is made once", async () => {
    const body = { report: "rates", parameters: { from: "2026-10-01", to: "2026-11-01" } };
    const first = await post("/v1/exports", body, { "idempotency-key": "k-1" });
    const second = await post("/v1/exports", body, { "idempotency-key": "k-1" });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(((await second.json()) as Export).id).toBe(((await first.json()) as Export).id);
    await work();
  });

  test.each([
    ["an unknown report", { report: "rate" }, 404, "not_found"],
    ["a wrong parameter", { report: "rates", parameters: { from: "x" } }, 400, "invalid_body"],
    ["an unknown preset", { report: "rates", parameters: { preset: "xero" } }, 400, "invalid_body"],
    [
      "a period that is not covered",
      { report: "rates", parameters: { to: "2027-01-01" } },
      409,
      "period_not_covered",
    ],
    ["an unknown field", { report: "rates", foo: 1 }, 400, "invalid_body"],
  ])("refuses %s at once", async (_, body, status, code) => {
    const answer = await post("/v1/exports", body);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
  });

  test("is cancelled while it waits; too many waiting are refused", async () => {
    const body = { report: "rates", parameters: { from: "2026-10-01", to: "2026-11-01" } };
    const made = await Promise.all(
      [1, 2, 3].map(async () => (await (await post("/v1/exports", body)).json()) as Export),
    );
    const refused = await post("/v1/exports", body);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
    for (const { id } of made) {
      const cancelled = await post(`/v1/exports/${id}/cancel`, undefined);
      expect(await cancelled.json()).toMatchObject({ id, state: "cancelled" });
    }
    const list = (await (await ask("/v1/exports?limit=2&state=cancelled")).json()) as {
      data: Export[];
      has_more: boolean;
      next_cursor: string;
    };
    expect([list.data.length, list.has_more]).toEqual([2, true]);
    const rest = (await (
      await ask(`/v1/exports?limit=2&state=cancelled&cursor=${list.next_cursor}`)
    ).json()) as { data: Export[] };
    expect(new Set([...list.data, ...rest.data].map(({ id }) => id))).toEqual(
      new Set(made.map(({ id }) => id)),
    );
  });

  test("whose file is gone says so instead of failing", async () => {
    const id = await exported("accountant");
    for (const name of await readdir(folder)) if (name.startsWith(id)) await rm(join(folder, name));
    const answer = await fetch(server.url + (await read(id)).download_url);
    expect(answer.status).toBe(404);
  });
});

interface Export {
  id: string;
  state: string;
  download_url: string | null;
  sha256: string | null;
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${keys[key]}` };
}

function ask(path: string, key = "accountant", init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + path, { ...init, headers: bearer(key) });
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  key = "accountant",
): Promise<Response> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(server.url + path, {
    method: "POST",
    headers: { ...bearer(key), "content-type": "application/json", ...headers },
    ...json,
  });
}

async function read(id: string, key = "accountant"): Promise<Export> {
  return (await (await ask(`/v1/exports/${id}`, key)).json()) as Export;
}

async function exported(key: string, body: object = transactionsOfEu): Promise<string> {
  const { id } = (await (await post("/v1/exports", body, {}, key)).json()) as Export;
  await work();
  return id;
}

const transactionsOfEu = {
  report: "transactions",
  parameters: { from: "2026-10-01", to: "2026-11-01", account: "eu" },
};

async function work(): Promise<void> {
  const log = { info: () => undefined, warn: () => undefined };
  await runExports(
    { database: database.db, files: createFolderFiles(folder), worker: "test", log },
    null,
    new AbortController().signal,
  );
}
