import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { holdAccount, resumeAccount } from "../../src/store/accounts/account-switches.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { replayEvents, sendTestEvent } from "../../src/store/notify/deliveries.ts";
import { changeEndpoint, rotateSecret } from "../../src/store/notify/endpoints.ts";
import { keepReconciled } from "../api/every-route.ts";
import { aRecord, anAccount, instant, keep } from "../api/some-records.ts";
import { type ScriptedAnswer, type ScriptedServer, startHttpServer } from "../support/http-server.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { wrapDatabase } from "../support/wrap-database.ts";
import { signingKeyFingerprint } from "../../src/core/webhook-signature.ts";
import {
  anEndpoint,
  aSender,
  type SenderOfTest,
  eventIn,
  isSignedBy,
  makeDue,
  signingKey,
} from "./an-endpoint.ts";

const database = useTestDatabase();
const author = { actor: "test", requestId: "r" };

let answer: (number: number) => ScriptedAnswer = () => ({ status: 204, body: "" });
let receiver: ScriptedServer;
let senders: SenderOfTest[] = [];
let accounts = 0;

beforeEach(async () => {
  answer = () => ({ status: 204, body: "" });
  let number = 0;
  receiver = await startHttpServer(() => answer(++number));
});

afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  senders = [];
  await receiver.close();
  await database.db.query("delete from tieout.webhook_endpoints");
  await database.db.query("delete from tieout.events");
});

function sending(more: Parameters<typeof aSender>[1] = {}) {
  const sender = aSender(database.db, more);
  senders.push(sender);
  return sender;
}

const account = () => anAccount(database.db, `account-${++accounts}`);
const received = () => receiver.requests.map(eventIn);
const arrived = (count: number) =>
  waitFor(`${count} events have arrived`, () => receiver.requests.length >= count);
const countRows = async (table: string, where = "true") =>
  (await database.db.query<{ n: number }>(`select count(*)::int as n from tieout.${table} where ${where}`))[0]
    ?.n;

describe("facts become events in their own database transaction", () => {
  test("none is written while no endpoint wants it", async () => {
    const id = await account();
    await keep(database.db, id, [aRecord(1)], [], "live");
    await anEndpoint(database.db, receiver.url, { events: ["statement.imported"] });
    await keep(database.db, id, [aRecord(2)], [], "live");
    expect(await countRows("events")).toBe(0);
  });

  test("a transaction that is new or changes, each time once; history is no news", async () => {
    const id = await account();
    await anEndpoint(database.db, receiver.url);
    sending();
    await keep(database.db, id, [aRecord(1, { status: "pending" })], [], "live");
    await keep(database.db, id, [aRecord(1, { status: "pending" })], [], "live");
    const later = { status: "completed", statusDate: instant("2026-03-02T00:00:00Z") };
    await keep(database.db, id, [aRecord(1, later)], [], "live");
    await keep(database.db, id, [aRecord(9)], [], "backfill");
    await arrived(2);
    expect(received()).toMatchObject([
      {
        type: "transaction.changed",
        data: { transaction_id: "01TX0000000001", status: "pending", is_final: false },
      },
      {
        type: "transaction.changed",
        data: { status: "completed", is_final: true, status_date: "2026-03-02T00:00:00.000Z" },
      },
    ]);
    expect(await countRows("events")).toBe(2);
    // Ids and facts about the record: nothing of what wallets:read protects.
    expect(receiver.requests.map(({ body }) => body).join()).not.toMatch(/wallet|pk_test/);
  });

  test("what is rolled back is not told", async () => {
    const id = await account();
    await anEndpoint(database.db, receiver.url);
    await database.db
      .transaction(async (tx) => {
        await tx.query(
          "update tieout.accounts set state = 'paused', paused_reason = 'x', paused_at = now() where id = $1",
          [id],
        );
        throw new Error("no");
      })
      .catch(() => undefined);
    expect(await countRows("events")).toBe(0);
  });

  test("statements, payouts, discrepancies and accounts", async () => {
    const id = await account();
    const name = `account-${accounts}`;
    await anEndpoint(database.db, receiver.url, { accountIds: [id] });
    const reconciled = await keepReconciled(database.db, { accountId: id, name });
    const dis = Number(reconciled.discrepancy.slice(4));
    const version = async () =>
      (
        await database.db.query<{ version: number }>(
          "select version from tieout.discrepancies where id = $1",
          [dis],
        )
      )[0]?.version ?? 0;
    const change = async (with_: Parameters<typeof changeDiscrepancies>[3]) =>
      changeDiscrepancies(
        database.db,
        { accountIds: null },
        [{ id: dis, version: await version() }],
        with_,
        author,
      );
    await change({ action: "assign", owner: author.actor });
    await change({ action: "resolve", reason: "paid" });
    await holdAccount(database.db, { id, name, reason: "maintenance" }, author);
    await resumeAccount(database.db, { id, name }, author);
    const [{ types } = { types: [] }] = await database.db.query<{ types: string[] }>(
      "select array_agg(type order by id) as types from tieout.events where account_id = $1 and type <> 'transaction.changed'",
      [id],
    );
    expect(types.filter((type) => type !== "discrepancy.raised")).toEqual([
      "statement.imported",
      "payout.declared",
      "discrepancy.assigned",
      "discrepancy.cleared",
      "account.paused",
      "account.resumed",
    ]);
    expect(types).toContain("discrepancy.raised");
    sending();
    await arrived(types.length);
    const told = received();
    expect(told.find(({ type }) => type === "discrepancy.assigned")?.data).toMatchObject({
      account: name,
      id: `dis_${dis}`,
      owner: author.actor,
    });
    expect(told.find(({ type }) => type === "payout.declared")?.data).toMatchObject({
      id: reconciled.payout,
      net_declared: "4",
    });
  });

  test("an endpoint that is limited to accounts hears nothing of others", async () => {
    const [a, b] = [await account(), await account()];
    await anEndpoint(database.db, receiver.url, { accountIds: [a] });
    await keep(database.db, b, [aRecord(2)], [], "live");
    await keep(database.db, a, [aRecord(1)], [], "live");
    sending();
    await arrived(1);
    expect(received()).toMatchObject([{ data: { transaction_id: "01TX0000000001" } }]);
    expect(await countRows("webhook_deliveries")).toBe(1);
  });
});

describe("deliveries", () => {
  async function tellStatuses(id: number, count: number) {
    for (let n = 0; n < count; n++) {
      const statusDate = instant(new Date(Date.parse("2026-03-02T00:00:00Z") + n * 1000).toISOString());
      await keep(database.db, id, [aRecord(1, { status: `step-${n}`, statusDate })], [], "live");
    }
  }

  test("are signed as Standard Webhooks says, with a new time and the same id at each attempt", async () => {
    const endpoint = await anEndpoint(database.db, receiver.url);
    answer = (n) => ({ status: n === 1 ? 500 : 200 });
    sending();
    await sendTestEvent(database.db, endpoint.id, author);
    await arrived(1);
    await waitFor(
      "the failure is noted",
      async () => (await countRows("webhook_deliveries", "status = 500")) === 1,
    );
    await makeDue(database.db);
    await arrived(2);
    for (const request of receiver.requests) expect(isSignedBy(request, endpoint, 1)).toBe(true);
    expect(new Set(received().map(({ id }) => id)).size).toBe(1);
    const [first] = receiver.requests;
    expect(first && isSignedBy({ ...first, body: `${first.body} ` }, endpoint, 1)).toBe(false);
  });

  test("of one subject arrive in order, also when one of them fails", async () => {
    const id = await account();
    await anEndpoint(database.db, receiver.url);
    answer = (n) => ({ status: n === 2 ? 503 : 200 });
    await tellStatuses(id, 4);
    sending();
    await arrived(2);
    await waitFor(
      "the failure is noted",
      async () => (await countRows("webhook_deliveries", "status = 503")) === 1,
    );
    // Those behind it wait for it.
    expect(await countRows("webhook_deliveries", "state = 'pending' and next_at > clock_timestamp()")).toBe(
      3,
    );
    await makeDue(database.db);
    await arrived(5);
    const order = received().map(({ data }) => data["status"]);
    expect(order).toEqual(["step-0", "step-1", "step-1", "step-2", "step-3"]);
  });

  test("are tried for about a day, then given up, and sent again on request", async () => {
    const endpoint = await anEndpoint(database.db, receiver.url);
    answer = () => ({ status: 500 });
    sending();
    await sendTestEvent(database.db, endpoint.id, author);
    let waitedSeconds = 0;
    for (let attempt = 1; attempt <= 11; attempt++) {
      const [row] = await waitFor("an attempt is noted", async () => {
        const rows = await database.db.query<{ wait: number; state: string }>(
          `select extract(epoch from next_at - clock_timestamp())::float8 as wait, state
           from tieout.webhook_deliveries where attempts = $1 and lease_until is null`,
          [attempt],
        );
        return rows.length > 0 ? rows : null;
      });
      waitedSeconds += Math.max(0, row?.wait ?? 0);
      expect(row?.state).toBe(attempt === 11 ? "failed" : "pending");
      await makeDue(database.db);
    }
    expect(waitedSeconds / 3600).toBeGreaterThan(23);
    answer = () => ({ status: 200 });
    expect(await replayEvents(database.db, endpoint.id, { undelivered: true }, author)).toBe(0);
    const [{ id } = { id: 0 }] = await database.db.query<{ id: number }>(
      "select event_id::int as id from tieout.webhook_deliveries",
    );
    expect(await replayEvents(database.db, endpoint.id, { eventIds: [id], undelivered: true }, author)).toBe(
      1,
    );
    await waitFor(
      "it is delivered",
      async () => (await countRows("webhook_deliveries", "state = 'delivered'")) === 1,
    );
  });

  test("go to a healthy endpoint while another hangs", async () => {
    const hanging = await startHttpServer(() => ({ misbehave: () => undefined }));
    onTestFinished(() => hanging.close());
    const id = await account();
    await anEndpoint(database.db, hanging.url);
    await anEndpoint(database.db, receiver.url);
    await keep(
      database.db,
      id,
      Array.from({ length: 40 }, (_, n) => aRecord(n + 1)),
      [],
      "live",
    );
    sending({ concurrency: 24, perEndpoint: 8 });
    await arrived(40);
    expect(hanging.requests.length).toBeLessThanOrEqual(8);
    await hanging.close();
  });

  test("carry both signatures for the overlap of a rotation, and then the new one alone", async () => {
    const endpoint = await anEndpoint(database.db, receiver.url);
    const rotate = (overlapMs: number) =>
      rotateSecret(
        database.db,
        { id: endpoint.id, keyFingerprint: signingKeyFingerprint(signingKey), overlapMs },
        author,
      );
    sending();
    await rotate(60_000);
    await sendTestEvent(database.db, endpoint.id, author);
    await arrived(1);
    await rotate(0);
    await sendTestEvent(database.db, endpoint.id, author);
    await arrived(2);
    const signedBy = receiver.requests.map((request) =>
      [1, 2, 3].filter((version) => isSignedBy(request, endpoint, version)),
    );
    expect(signedBy).toEqual([[1, 2], [3]]);
  });

  test("are not signed with another key than the one that made the secret", async () => {
    const endpoint = await anEndpoint(database.db, receiver.url);
    sending({ signingKey: "another" });
    await sendTestEvent(database.db, endpoint.id, author);
    await waitFor(
      "it is refused",
      async () => (await countRows("webhook_deliveries", "error like '%WEBHOOK_SIGNING_KEY%'")) === 1,
    );
    expect(receiver.requests).toEqual([]);
  });

  test("end at an endpoint that answers 410 or has failed for days; what it missed can be sent again", async () => {
    const id = await account();
    const gone = await anEndpoint(database.db, receiver.url);
    answer = () => ({ status: 410 });
    const sender = sending();
    await keep(database.db, id, [aRecord(1)], [], "live");
    await waitFor(
      "it is disabled",
      async () => (await countRows("webhook_endpoints", "state = 'disabled'")) === 1,
    );
    expect(sender.log).toContainEqual({ event: "webhook_disabled", endpoint: `wh_${gone.id}` });
    await keep(database.db, id, [aRecord(2)], [], "live");
    answer = () => ({ status: 200 });
    const held = await database.db.query<{ version: number }>("select version from tieout.webhook_endpoints");
    const enabled = await changeEndpoint(
      database.db,
      { id: gone.id, version: held[0]?.version ?? 0 },
      { state: "enabled" },
      author,
    );
    expect(enabled).toMatchObject({ state: "enabled", disabledReason: null });
    await replayEvents(database.db, gone.id, { undelivered: true }, author);
    await makeDue(database.db);
    await waitFor(
      "both are delivered",
      async () => (await countRows("webhook_deliveries", "state = 'delivered'")) === 2,
    );

    await database.db.query("update tieout.webhook_endpoints set failing_since = now() - interval '4 days'");
    answer = () => ({ status: 500 });
    await sendTestEvent(database.db, gone.id, author);
    await waitFor(
      "it is disabled again",
      async () =>
        (await countRows("webhook_endpoints", "disabled_reason like 'no delivery has succeeded%'")) === 1,
    );
    expect(await countRows("audit_log", "action = 'webhook.disabled'")).toBe(2);
  });

  test("read little of a long answer and follow no redirect", async () => {
    const endpoint = await anEndpoint(database.db, receiver.url);
    let bytes = 0;
    answer = (n) =>
      n === 1
        ? { status: 302, headers: { location: `${receiver.url}/elsewhere` } }
        : {
            misbehave: (response) => {
              response.writeHead(200);
              const more = () => {
                while (!response.destroyed && bytes < 1e9) {
                  bytes += 65_536;
                  if (!response.write(Buffer.alloc(65_536))) break;
                }
              };
              response.on("drain", more);
              more();
            },
          };
    sending();
    await sendTestEvent(database.db, endpoint.id, author);
    await waitFor(
      "the redirect is a failure",
      async () => (await countRows("webhook_deliveries", "status = 302")) === 1,
    );
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/"]);
    await makeDue(database.db);
    await waitFor(
      "it is delivered",
      async () => (await countRows("webhook_deliveries", "state = 'delivered'")) === 1,
    );
    expect(bytes).toBeLessThan(50e6);
  });
});

test("a database that goes away and comes back is told once each, in the same words by all that need it", async () => {
  let failures = 0;
  let isAway = true;
  const refuse = async () => {
    failures++;
    throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  };
  const away = wrapDatabase(database.db, (next, ...statement) => (isAway ? refuse() : next(...statement)));
  const sender = aSender({
    ...away,
    transaction: (work) => (isAway ? refuse() : away.transaction(work)),
    session: (use) => (isAway ? refuse() : away.session(use)),
  });
  senders.push(sender);
  await waitFor("both have failed twice", () => failures >= 4);
  isAway = false;
  await waitFor("both work again", () => sender.log.filter(({ state }) => state === "over").length === 2);
  const told = (event: string) => sender.log.filter((line) => line["event"] === event);
  for (const event of ["webhook_sender_interrupted", "webhook_listener_interrupted"])
    expect(told(event)).toEqual([
      { event, reason: "the database does not answer: start it, or correct DATABASE_URL" },
      expect.objectContaining({ event, state: "over" }),
    ]);
});
