import { beforeAll, expect, test } from "vitest";
import { aPerson, cookieOf } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { csrfTokenOf } from "../../src/web/session-cookie.ts";
import { usePage } from "../web/a-page.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";
import { aKey } from "./an-api.ts";

const database = useTestDatabase();
const service = usePage(database);

beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  await database.db.query("update tieout.write_off_limits set amount = 0");
});

interface OnPage {
  look(path: string): Promise<string>;
  send(path: string, fields: Record<string, string>): Promise<number>;
  /** What stands above the screen that follows. */
  hear(path: string, fields: Record<string, string>): Promise<string>;
}

async function onPage(personId: number): Promise<OnPage> {
  const cookie = await cookieOf(database.db, personId);
  const csrf = csrfTokenOf(cookie.split("=")[1] ?? "");
  const post = async (path: string, fields: Record<string, string>) =>
    fetch(service.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: service.url },
      body: new URLSearchParams({ ...fields, csrf }),
    });
  return {
    look: async (path) => (await fetch(service.url + path, { headers: { cookie } })).text(),
    send: async (path, fields) => (await post(path, fields)).status,
    hear: async (path, fields) => {
      const { headers } = await post(path, fields);
      const kept = headers.getSetCookie().map((one) => one.split(";")[0]);
      const next = await fetch(service.url + (headers.get("location") ?? "/nowhere"), {
        headers: { cookie: [cookie, ...kept].join("; ") },
      });
      return /<div class="notice">(.*?)<\/div>/s.exec(await next.text())?.[1] ?? "";
    },
  };
}

test("who wrote this off? two people, by name, on every door", async () => {
  const grace = await onPage(await aPerson(database.db, "accountant", { name: "Grace Hopper" }));
  const alan = await onPage(await aPerson(database.db, "controller", { name: "Alan Turing" }));
  const [open] = await database.db.query<{ id: number; seen: string }>(
    `select id::int, id || ':' || version as seen from tieout.discrepancies
     where state = 'open' and value > 0 order by id limit 1`,
  );
  const change = { seen: open?.seen ?? "", action: "write_off", reason: "not worth a letter" };
  const notice = await grace.hear("/discrepancies/change", change);
  expect(notice).toContain("Proposed, not yet written off");
  expect(notice).not.toContain("Undo");
  expect(await grace.look(`/discrepancies/${open?.id}`)).toContain("waiting for another person");
  expect(await alan.look("/approvals")).toMatch(/Waiting for me[^]*not worth a letter[^]*Grace Hopper/);
  const [waiting] = await database.db.query<{ id: string }>(
    "select 'apr_' || id as id from tieout.approvals where state = 'proposed'",
  );
  const id = waiting?.id ?? "";
  expect(await grace.send("/approvals/approve", { id })).toBe(403);
  const key = await aKey(database.db, "admin");
  expect((await service.send("POST", `/v1/approvals/${id}/approve`, key, {})).status).toBe(403);
  expect(await alan.send("/approvals/approve", { id, reason: "agreed" })).toBe(303);

  const read = await service.get(`/v1/discrepancies/dis_${open?.id}`, key);
  expect(read.json).toMatchObject({
    state: "written_off",
    resolved_by_name: "Grace Hopper",
    pending_approval: null,
    approved_by_name: "Alan Turing",
  });
  const events = await service.get(`/v1/discrepancies/dis_${open?.id}/events`, key);
  expect(
    (events.json["data"] as { event: string; actor_name: string; approved_by_name: string | null }[])
      .filter(({ event }) => event === "written_off")
      .map((event) => [event.actor_name, event.approved_by_name]),
  ).toEqual([["Grace Hopper", "Alan Turing"]]);
  expect((await service.get(`/v1/approvals/${id}`, key)).json).toMatchObject({
    state: "approved",
    proposed_by_name: "Grace Hopper",
    decided_by_name: "Alan Turing",
    decision_reason: "agreed",
  });
  const audit = await service.get(`/v1/audit?subject=dis_${open?.id}`, key);
  expect(
    (audit.json["data"] as { action: string; actor_name: string }[]).map((entry) => [
      entry.action,
      entry.actor_name,
    ]),
  ).toEqual([
    ["approval.approved", "Alan Turing"],
    ["discrepancy.written_off", "Grace Hopper"],
    ["approval.proposed", "Grace Hopper"],
  ]);
  const shown = await alan.look(`/discrepancies/${open?.id}`);
  expect(
    shown.match(/proposed by <bdi[^>]*>Grace Hopper<\/bdi>, approved by <bdi[^>]*>Alan Turing/g),
  ).toHaveLength(2);
});

test("a write-off that waits ends with what it was about", async () => {
  const ownerId = await aPerson(database.db, "accountant", { name: "Grace Brewster" });
  const key = await aKey(database.db, "accountant", { ownerId });
  const auditor = await aKey(database.db, "auditor");
  const [open] = await database.db.query<{ id: string }>(
    "select 'dis_' || id as id from tieout.discrepancies where state = 'open' and value > 0 order by discrepancies.id limit 1",
  );
  const address = `/v1/discrepancies/${open?.id}`;
  const act = async (body: object) => {
    const etag = (await service.get(address, key)).headers.get("etag") ?? "";
    return service.send("POST", `${address}/actions`, key, body, { "if-match": etag });
  };
  await act({ action: "write_off", reason: "too small" });
  const waiting = (await service.get(address, key)).json["pending_approval"];
  expect(waiting).toMatch(/^apr_\d+$/);
  expect((await act({ action: "resolve", reason: "the provider has paid" })).status).toBe(200);

  const approval = (await service.get(`/v1/approvals/${String(waiting)}`, auditor)).json;
  expect(approval).toMatchObject({
    state: "lapsed",
    decided_by: null,
    decided_by_name: "tieout",
    decision_reason: `${open?.id} is resolved`,
  });
  expect((await service.get("/v1/approvals?state=proposed", auditor)).json["data"]).toEqual([]);
  const { json } = await service.get(`/v1/audit?subject=${open?.id}&action=approval.lapsed`, auditor);
  expect(json["data"]).toMatchObject([
    { actor: expect.stringMatching(/^key:/) as unknown, after: { approval: waiting, state: "lapsed" } },
  ]);
  const alan = await onPage(await aPerson(database.db, "controller"));
  expect(await alan.look("/approvals")).toContain("lapsed");
  expect(await alan.send("/approvals/approve", { id: String(waiting) })).toBe(409);
});

test("a role of an admin that waits for another admin is said to wait, and noted as nothing more", async () => {
  const first = await onPage(await aPerson(database.db, ["admin", "viewer"], { name: "Ann Admin" }));
  const second = await onPage(await aPerson(database.db, "admin", { name: "Bea Admin" }));
  const carolId = await aPerson(database.db, "viewer", { name: "Carol" });
  const carol = { id: `per_${carolId}`, role: "admin" };
  const proposed = await first.hear("/people/roles", carol);
  expect(proposed).toContain(
    "Proposed: another admin must approve on Approvals that Carol becomes an admin.",
  );
  const key = await aKey(database.db, "auditor");
  const audited = async () =>
    (await service.get(`/v1/audit?subject=per_${carolId}`, key)).json["data"] as { action: string }[];
  expect((await audited()).map(({ action }) => action)).toEqual(["approval.proposed"]);

  const [waiting] = await database.db.query<{ id: string }>(
    "select 'apr_' || id as id from tieout.approvals where kind = 'admin_key' and state = 'proposed'",
  );
  expect(await second.look("/approvals")).toMatch(/Waiting for me.*Admin role for <bdi[^>]*>Carol/s);
  expect(await second.send("/approvals/approve", { id: waiting?.id ?? "" })).toBe(303);
  // Given without a reason: none is kept.
  expect(
    (await service.get(`/v1/approvals/${waiting?.id}`, await aKey(database.db, "admin"))).json,
  ).toMatchObject({
    state: "approved",
    decision_reason: null,
  });
  expect(await first.hear("/people/roles", carol)).toBe("The roles of Carol are changed.");
});

test("a lower limit holds at once, a higher one is proposed", async () => {
  const key = await aKey(database.db, "controller", { ownerId: await aPerson(database.db, "controller") });
  const limit = { role: "accountant", currency: "EUR", amount: "500", reason: "inflation" };
  const raised = await service.send("POST", "/v1/write-off-limits", key, limit);
  expect(raised.status).toBe(200);
  const amountOf = (json: Record<string, unknown>) =>
    (json["data"] as { role: string; currency: string; amount: string }[]).find(
      ({ role, currency }) => role === "accountant" && currency === "EUR",
    )?.amount;
  expect(amountOf(raised.json)).toBe("0");
  const alan = await onPage(await aPerson(database.db, "controller"));
  const [waiting] = await database.db.query<{ id: string }>(
    "select 'apr_' || id as id from tieout.approvals where kind = 'settings' and state = 'proposed'",
  );
  const limits = await alan.look("/approvals");
  expect(limits).toMatch(
    /Write-off limit of the role accountant: .*?500.*?<bdi class="whole-text">inflation/s,
  );
  expect(await alan.send("/approvals/approve", { id: waiting?.id ?? "" })).toBe(303);
  expect(amountOf((await service.get("/v1/write-off-limits", key)).json)).toBe("500");
  const lowered = await service.send("POST", "/v1/write-off-limits", key, { ...limit, amount: "20" });
  expect(amountOf(lowered.json)).toBe("20");
  const once = { "idempotency-key": "lower" };
  const again = await service.send("POST", "/v1/write-off-limits", key, { ...limit, amount: "10" }, once);
  expect(amountOf(again.json)).toBe("10");
});
