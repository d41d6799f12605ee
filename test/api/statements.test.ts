import { parse } from "csv-parse/sync";
import { readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseProfile } from "../../src/reconcile/statement/own-profiles.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { uploadBytesMax } from "../../src/reconcile/statement/limits.ts";
import { openBooks } from "../reconcile/books.ts";
import { rowsInTables } from "../reconcile/statement/import-for-test.ts";
import { openFolder } from "../support/open-folder.ts";
import { repeatingWorkbook } from "../support/raw-workbook.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
const moonpay = await readFile("test/fixtures/statements/moonpay.csv");
const transak = await readFile("test/fixtures/statements/transak.csv", "utf8");
const generic = await readFile("test/fixtures/statements/generic.csv", "utf8");
// Uploads lie here while they are answered; nothing else of this machine does.
const folder = await openFolder("tieout-uploads-");
const usualFolder = process.env["TMPDIR"];

let account = "";
let other = "";
let admin = "";
let ofOther = "";

beforeAll(async () => {
  process.env["TMPDIR"] = folder;
  const books = await openBooks(database.db);
  const others = await openBooks(database.db);
  account = books.name;
  other = others.name;
  admin = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  ofOther = await aKey(database.db, "accountant", { accountIds: [others.accountId] });
});

afterAll(async () => {
  if (usualFolder === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usualFolder;
  await rm(folder, { recursive: true, force: true });
});

describe("profiles over HTTP", () => {
  test("are listed, shown whole and retired, each with its own refusal", async () => {
    const [{ id } = { id: 0 }] = await database.db.query<{ id: number }>(
      "select id from tieout.accounts where name = $1",
      [account],
    );
    const value = parseProfile({ name: "mine", version: 1, extends: "generic", provider: "kappa" });
    const setting = {
      accountId: id,
      provider: "kappa",
      kind: "profile",
      name: "mine",
      value,
      actor: "test",
    } as const;
    await database.db.transaction((tx) => saveSetting(tx, setting));
    const list = (await server.get("/v1/profiles", admin)).json as {
      data: { name: string; built_in: boolean }[];
    };
    expect(list.data[0]).toMatchObject({ name: "mine", built_in: false, based_on: "generic" });
    expect(list.data.find(({ name }) => name === "moonpay")).toMatchObject({ built_in: true });
    const one = await server.get("/v1/profiles/mine", admin);
    expect(one.json).toMatchObject({ name: "mine", profile: { provider: "kappa" } });
    expect((await server.get("/v1/profiles/mine", ofOther)).status).toBe(404);
    const retire = (name: string) =>
      server.send("POST", `/v1/profiles/${name}/retire`, admin, { reason: "a test" });
    expect((await retire("mine")).status).toBe(200);
    expect((await retire("mine")).status).toBe(404);
    expect((await retire("moonpay")).json).toMatchObject({ code: "profile_invalid" });
  });
});

describe("a statement over HTTP", () => {
  test("a preview shows what the import would do, and writes nothing", async () => {
    const before = await rowsInTables(database.db);
    const { status, json } = await upload("/v1/statements/preview?file_name=moonpay-2026-01.csv", moonpay);
    expect([status, json["state"]]).toEqual([200, "previewed"]);
    expect(json["statement"]).toMatchObject({
      id: null,
      provider: "moonpay",
      rows: { read: 5, accepted: 5 },
    });
    expect(json["consequences"]).toMatchObject({ provider: "moonpay", counts: { matched: 0 } });
    expect(await rowsInTables(database.db)).toEqual(before);
  });

  test("JSON comes under its own type, or under none that is its own", async () => {
    const records = parse(moonpay, { columns: true });
    for (const type of ["application/json", "application/x-ndjson", "text/csv"]) {
      const { status, json } = await upload("/v1/statements/preview", JSON.stringify(records), {
        "content-type": type,
      });
      expect([type, status, json["state"]]).toEqual([type, 200, "previewed"]);
      expect(json["statement"]).toMatchObject({ encoding: "json", rows: { read: 5, accepted: 5 } });
    }
  });

  test("an import is answered with the statement; the same file again with the first import", async () => {
    const first = await upload("/v1/statements?file_name=moonpay-2026-01.csv", moonpay);
    expect([first.status, first.json["state"]]).toEqual([201, "imported"]);
    const before = await rowsInTables(database.db);
    const again = await upload("/v1/statements?file_name=another-name.csv", moonpay);
    expect([again.status, again.json["state"]]).toEqual([200, "already_imported"]);
    expect(idOf(again)).toBe(idOf(first));
    expect(await rowsInTables(database.db)).toEqual(before);
    const one = await server.get(`/v1/statements/${idOf(first)}`, admin);
    expect(one.json).toEqual(first.json["statement"]);
    const listed = await server.get("/v1/statements?provider=moonpay&state=imported", admin);
    expect(listed.json["data"]).toEqual([one.json]);
  });

  test("it is noted who imported and who withdrew it, with the request's id", async () => {
    const made = await upload("/v1/statements?file_name=transak-a.csv", transak);
    const path = `/v1/statements/${idOf(made)}/withdraw`;
    const unreasoned = await server.send("POST", path, admin, { reason: " " });
    expect([unreasoned.status, unreasoned.json["code"]]).toEqual([400, "invalid_body"]);
    const withdrawn = await server.send("POST", path, admin, { reason: "wrong month" });
    expect(withdrawn.json).toMatchObject({ state: "withdrawn", withdrawn: { reason: "wrong month" } });
    const again = await server.send("POST", path, admin, { reason: "wrong month" });
    expect([again.status, again.json["code"]]).toEqual([409, "statement_withdrawn"]);
    expect(await auditOf(`statement ${idOf(made).slice(4)}`)).toEqual([
      ["statement.imported", made.headers.get("request-id"), null],
      ["statement.withdrawn", withdrawn.headers.get("request-id"), "wrong month"],
    ]);
  });

  test("a corrected file with replaces withdraws the older one and shows what changed", async () => {
    const first = await upload("/v1/statements?file_name=transak.csv", transak);
    const rows = transak.replace("EUR,45,ETH", "EUR,46,ETH").trimEnd().split("\n");
    const last = rows.pop();
    const corrected = `${[...rows, rows.at(-1)].join("\n")}\n`;
    const second = await upload(`/v1/statements?file_name=t2.csv&replaces=${idOf(first)}`, corrected);
    expect(second.status).toBe(201);
    expect(second.json["restated"]).toMatchObject([
      { line_no: 2, changes: { fiat_gross: { before: "45", after: "46" } }, stands: true },
    ]);
    expect(second.json["replaced"]).toMatchObject({ id: idOf(first), gone: { lines: 1 } });
    expect(last).toContain((second.json["replaced"] as { gone: { first: string[] } }).gone.first[0]);
    expect(second.json["repeated"]).toEqual([{ line_no: rows.length + 1, first_line_no: rows.length }]);
    const older = await server.get(`/v1/statements/${idOf(first)}`, admin);
    expect(older.json).toMatchObject({ state: "withdrawn" });
    const twice = await upload(`/v1/statements?replaces=${idOf(first)}`, `${corrected}\n`);
    expect([twice.status, twice.json["code"]]).toEqual([404, "not_found"]);
  });

  test("rows that were not taken are shown, and download as CSV", async () => {
    const file = transak.replace("1.37,0.18,0.00068203,,", "n/a,0.18,1,,").replaceAll("a5a1", "b6b2");
    const { json } = await upload("/v1/statements?file_name=rejects.csv", file);
    expect(json["rejects"]).toMatchObject([{ line_no: 5, code: "row_unparseable", field: "fee_total" }]);
    const csv = await server.get(`/v1/statements/${idOf({ json })}/rejects.csv`, admin);
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.headers.get("content-disposition")).toBe(
      `attachment; filename="rejects_${idOf({ json })}.csv"`,
    );
    expect(csv.text).toMatch(/^line_no,code,field,reason,original_text\n5,row_unparseable,fee_total,/);
    const forExcel = await server.get(`/v1/statements/${idOf({ json })}/rejects.csv?preset=excel`, admin);
    expect(forExcel.text).toBe(csv.text.replaceAll("\n", "\r\n"));
  });

  test("the original comes back byte for byte, under its own name, and the log says who had it", async () => {
    const name = `März 2026 "neu"; ${account}.csv`;
    const sent = Buffer.from(`${transak.replaceAll("a5a1", "c7c3")}\r\n\n`);
    const { json } = await upload(`/v1/statements?file_name=${encodeURIComponent(name)}`, sent);
    const original = await fetch(`${server.url}/v1/statements/${idOf({ json })}/original`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(Buffer.from(await original.arrayBuffer()).equals(sent)).toBe(true);
    // Nothing that a browser would open, whatever is in it.
    expect(original.headers.get("content-type")).toBe("application/octet-stream");
    const [, plain = "", exact = ""] =
      /^attachment; filename="([^"]*)"; filename\*=UTF-8''(\S+)$/.exec(
        original.headers.get("content-disposition") ?? "",
      ) ?? [];
    expect(decodeURIComponent(exact)).toBe(name);
    expect(plain).toBe(`M_rz 2026 _neu__ ${account}.csv`);
    expect(await downloadsOf(idOf({ json }))).toBe(1);
  });

  test("an original that was kept long enough is said to be deleted, and not sent empty", async () => {
    const { json } = await upload("/v1/statements?file_name=old.csv", transak.replaceAll("a5a1", "d8d4"));
    await database.db.query(
      "update tieout.statements set imported_at = imported_at - interval '50 days' where id = $1",
      [idOf({ json }).slice(4)],
    );
    await database.db.query("select tieout.forget_statement_files(interval '40 days', 1000)");
    const original = await server.get(`/v1/statements/${idOf({ json })}/original`, admin);
    expect([original.status, original.json["code"]]).toEqual([404, "not_found"]);
    expect(original.json["detail"]).toContain("This file was deleted at the end of the time");
    expect(await downloadsOf(idOf({ json }))).toBe(0);
  });

  async function downloadsOf(id: string): Promise<number> {
    const entries = await database.db.query(
      "select from tieout.audit_log where action = 'statement.downloaded' and subject = $1",
      [id.replace("stm_", "statement ")],
    );
    return entries.length;
  }
});

test("the name of a file is a name, and nothing that a terminal would obey", async () => {
  const name = encodeURIComponent("../../etc/x\n\u001b[31m\u009b.csv");
  const { json } = await upload(
    `/v1/statements/preview?file_name=${name}`,
    transak.replaceAll(/a5a1/gi, "d8d4"),
  );
  expect(json["statement"]).toMatchObject({ file_name: "x[31m.csv" });
});

test("a line beyond its limit is a row that is not taken, and the others are", async () => {
  const file = `${transak.replaceAll(/a5a1/gi, "c7c3")}"${"x".repeat(1_100_000)}"\n`;
  const { status, json } = await upload("/v1/statements/preview?file_name=long.csv", file);
  expect([status, json["rejects"]]).toMatchObject([200, [{ line_no: 8, code: "row_too_long" }]]);
  expect(json["statement"]).toMatchObject({ rows: { read: 7, rejected: 1 } });
});

describe("a workbook whose cells share one long text", () => {
  const columns = transak.slice(0, transak.indexOf("\n")).split(",");
  const preview = async (rows: number) => {
    const file = await repeatingWorkbook(columns, { text: '"'.repeat(99_999), rows, cells: 100 });
    const answer = await fetch(`${server.url}/v1/statements/preview?file_name=long.xlsx`, {
      method: "POST",
      body: new Uint8Array(file),
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/octet-stream" },
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };

  test("has rows that are too long, as a CSV has, and no more is made of them", async () => {
    const { status, json } = await preview(31);
    expect([status, json["statement"]]).toMatchObject([200, { rows: { read: 31, rejected: 31 } }]);
    expect(json["rejects"]).toMatchObject(
      Array.from({ length: 31 }, (_, at) => ({ line_no: at + 2, code: "row_too_long" })),
    );
  });

  test("is refused when that would be more text than a file may have", async () => {
    const { status, json } = await preview(2_000);
    expect(status).toBe(422);
    expect(json["detail"]).toContain("its cells repeat more text than is read");
  });
});

describe("a file that is refused changes nothing", () => {
  test.each([
    ["nothing", "", "file_unreadable"],
    ["a header alone", transak.slice(0, transak.indexOf("\n") + 1), "file_truncated"],
    ["half a file", transak.slice(0, 900), "file_truncated"],
    ["no statement of anyone", "a,b,c\n1,2,3\n", "file_profile_unknown"],
    ["a PDF", "%PDF-1.7\n%âãÏÓ\n1 0 obj\n", "file_unreadable"],
    ["rows that do not add up", generic.replace("#rows,8", "#rows,9"), "control_total_mismatch"],
    ["a header of 600 columns", transak.replace("\n", `${",x".repeat(600)}\n`), "file_profile_unknown"],
  ])("%s", async (_, body, code) => {
    const before = await rowsInTables(database.db);
    const answer = await upload("/v1/statements?file_name=bad.csv&provider=transak", body);
    expect([answer.status, answer.json["code"]]).toEqual([422, "statement_refused"]);
    expect(answer.json["errors"]).toContainEqual({ path: "", code, message: expect.any(String) as string });
    expect(await rowsInTables(database.db)).toEqual(before);
  });

  test("one that may be accepted is taken with a reason, which is kept", async () => {
    const file = generic.replace("#rows,8", "#rows,9");
    const taken = await upload("/v1/statements?provider=kvantum&accept=confirmed%20by%20mail", file);
    expect(taken.status).toBe(201);
    expect(taken.json["statement"]).toMatchObject({
      accepted: { codes: ["control_total_mismatch"], reason: "confirmed by mail" },
    });
  });

  test.each([
    ["file_nam=x", "file_nam", "Did you mean file_name?"],
    ["period_from=noon", "period_from", "is not a day or a time"],
    ["replaces=po_1", "replaces", "stm_11"],
    ["account=nobody", "account", "no account that you may see"],
  ])("a wrong parameter (%s) is named", async (query, param, words) => {
    const { status, json } = await upload(`/v1/statements?${query}`, moonpay);
    expect([status, json["param"], json["detail"]]).toEqual([400, param, expect.stringContaining(words)]);
  });

  test("a key of several accounts has to say whose statement it is", async () => {
    const { status, json } = await upload("/v1/statements", moonpay, {}, await aKey(database.db, "admin"));
    expect([status, json["code"]]).toEqual([400, "account_required"]);
    expect(json["detail"]).toContain(`${account}, ${other}`);
  });

  test("forms are not files, and JSON is one only where a file may be JSON", async () => {
    for (const [path, type] of [
      ["/v1/statements", "multipart/form-data; boundary=x"],
      ["/v1/statements", "application/x-www-form-urlencoded"],
      ["/v1/receipts", "multipart/form-data; boundary=x"],
      ["/v1/receipts", "application/json"],
    ] as const) {
      const { status, json } = await upload(path, moonpay, { "content-type": type });
      expect([path, type, status, json["code"]]).toEqual([path, type, 415, "unsupported_media_type"]);
    }
  });
});

describe("an upload", () => {
  test("that says or turns out to be too large is refused while it comes", async () => {
    expect(await sendPieces({ "content-length": String(uploadBytesMax + 1) }, 1)).toBe(413);
    expect(await sendPieces({}, uploadBytesMax / pieceBytes + 2)).toBe(413);
    await nothingLeft();
  });

  test("that is cut off leaves nothing: no rows, no file, no answer to be repeated", async () => {
    const before = await rowsInTables(database.db);
    await sendHalf({ "idempotency-key": "cut-off" });
    await nothingLeft();
    expect(await rowsInTables(database.db)).toEqual(before);
    const whole = await upload("/v1/statements?provider=cut", generic, { "idempotency-key": "cut-off" });
    expect([whole.status, whole.headers.get("idempotent-replayed")]).toEqual([201, null]);
  });

  test("that is sent again with its Idempotency-Key is answered again, and another file is refused", async () => {
    const headers = { "idempotency-key": "one" };
    const first = await upload("/v1/statements?provider=once", generic, headers);
    const again = await upload("/v1/statements?provider=once", generic, headers);
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    expect(again.json).toEqual(first.json);
    const different = await upload("/v1/statements?provider=once", transak, headers);
    expect([different.status, different.json["code"]]).toEqual([422, "idempotency_key_reused"]);
  });

  test("that is sent twice at the same moment is imported once", async () => {
    const send = () => upload("/v1/statements?provider=both", generic, { "idempotency-key": "both" });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([]);
    const rows = await database.db.query("select id from tieout.statements where provider = 'both'");
    expect(rows).toHaveLength(1);
  });

  test("that is previewed with an Idempotency-Key writes nothing either", async () => {
    const before = await rowsInTables(database.db);
    const headers = { "idempotency-key": "preview" };
    const { status } = await upload("/v1/statements/preview?provider=never", generic, headers);
    expect(status).toBe(200);
    expect(await rowsInTables(database.db)).toEqual(before);
  });
});

test("a key of another account sees nothing of it, and cannot replace or withdraw it", async () => {
  const listed = await server.get("/v1/statements?provider=moonpay", admin);
  const [{ id }] = listed.json["data"] as [{ id: string }];
  expect((await server.get("/v1/statements", ofOther)).json["data"]).toEqual([]);
  expect((await server.get(`/v1/statements/${id}`, ofOther)).status).toBe(404);
  expect((await server.get(`/v1/statements/${id}/rejects.csv`, ofOther)).status).toBe(404);
  expect((await server.get(`/v1/statements/${id}/original`, ofOther)).status).toBe(404);
  const withdrawal = await server.send("POST", `/v1/statements/${id}/withdraw`, ofOther, { reason: "x" });
  expect(withdrawal.status).toBe(404);
  const corrected = Buffer.concat([moonpay, Buffer.from("\n")]);
  expect((await upload(`/v1/statements?replaces=${id}`, corrected, {}, ofOther)).status).toBe(404);
  // The same bytes in an account of their own are another statement.
  expect((await upload("/v1/statements", moonpay, {}, ofOther)).status).toBe(201);
});

test("a viewer reads, and imports and withdraws nothing", async () => {
  const viewer = await aKey(database.db, "viewer");
  expect((await server.get("/v1/statements", viewer)).status).toBe(200);
  const refused = await upload(`/v1/statements?account=${encodeURIComponent(account)}`, moonpay, {}, viewer);
  expect([refused.status, refused.json["scopes"]]).toEqual([403, ["statements:write"]]);
});

function upload(
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  key = admin,
): Promise<Answer> {
  return server.send("POST", path, key, body.toString("latin1") === "" ? undefined : asText(body), {
    "content-type": "text/csv",
    ...headers,
  });
}

function asText(body: string | Buffer): string {
  return typeof body === "string" ? body : body.toString("utf8");
}

function idOf({ json }: Pick<Answer, "json">): string {
  return (json["statement"] as { id: string }).id;
}

async function auditOf(subject: string): Promise<unknown[]> {
  const rows = await database.db.query<{ action: string; request_id: string; reason: string | null }>(
    "select action, request_id, reason from tieout.audit_log where subject = $1 order by number",
    [subject],
  );
  return rows.map(({ action, request_id, reason }) => [action, request_id, reason]);
}

function nothingLeft(): Promise<unknown> {
  return waitFor("no upload is left on disk", async () =>
    (await readdir(folder)).length === 0 ? true : null,
  );
}

const pieceBytes = 1024 * 1024;

/** Answered before all has been sent. */
function sendPieces(headers: Record<string, string>, pieces: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = startUpload(headers);
    sending.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sending.destroy();
    });
    sending.on("error", (error: NodeJS.ErrnoException) =>
      ["EPIPE", "ECONNRESET"].includes(error.code ?? "") ? undefined : reject(error),
    );
    const piece = Buffer.alloc(pieceBytes, "x");
    for (let n = 0; n < pieces; n++) sending.write(piece);
  });
}

/** Half of a file, and then the client is gone. */
async function sendHalf(headers: Record<string, string>): Promise<void> {
  const sending = startUpload(headers);
  sending.on("error", () => undefined);
  sending.write(generic.slice(0, 700));
  await waitFor("the upload has begun", async () => ((await readdir(folder)).length > 0 ? true : null));
  sending.destroy();
}

function startUpload(headers: Record<string, string>) {
  return request(`${server.url}/v1/statements?provider=cut`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin}`, "content-type": "text/csv", ...headers },
  });
}
