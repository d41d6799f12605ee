import { expect, onTestFinished, test } from "vitest";
import { upstreamEventRoutes } from "../../src/api/upstream-events/routes.ts";
import { MINUTE } from "../../src/core/duration.ts";
import { secret } from "../../src/core/secret.ts";
import { signWebhook } from "../../src/core/webhook-signature.ts";
import { plainAccount } from "../../src/sandbox/accounts/account.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { transactionOfEvent } from "../../src/upstream/event.ts";
import { useApi } from "../api/an-api.ts";
import { readWindows } from "../support/a-window.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();
const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherKey = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const secrets = new Map<string, ReturnType<typeof secret>>();
const woken: number[] = [];
let wake: (accountId: number) => Promise<void> = async () => undefined;
const service = useApi(database, {
  extensions: [
    upstreamEventRoutes({
      secrets,
      transactionOf: transactionOfEvent,
      wakeSync: async (accountId) => {
        woken.push(accountId);
        await wake(accountId);
      },
    }),
  ],
});

interface Sent {
  id?: string;
  ageMs?: number;
  key?: string;
  body?: string;
  signedBody?: string;
}

function send(account: string, sent: Sent) {
  const { id = "evt_1", ageMs = 0, body = '{"type":"x","data":{"transactionId":"T1"}}' } = sent;
  const timestamp = Math.floor((Date.now() - ageMs) / 1000);
  const signature = signWebhook(sent.key ?? key, { id, timestamp, body: sent.signedBody ?? body });
  return service.send("POST", `/v1/events/${encodeURIComponent(account)}`, null, body, {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  });
}

test("a transaction of the sandbox is read again as soon as the sandbox tells of it", async () => {
  const startMs = Date.now();
  const told = plainAccount("default", { apiKey: "pk_sandbox", apiSecret: "sk_sandbox" });
  const name = "of-the-sandbox";
  const url = `${service.url}/v1/events/${name}`;
  const sandbox = await startSandbox({
    port: 0,
    now: Date.now,
    transactions: 200,
    timeScale: 1000,
    fromMs: startMs - 20_000,
    toMs: startMs,
    live: true,
    accounts: [{ ...told, webhook: { url, secret: key } }],
  });
  onTestFinished(() => sandbox.close());
  const read = await addAccount(database.db, sandbox);
  await database.db.query("update tieout.accounts set name = $2 where id = $1", [read.id, name]);
  secrets.set(name, secret(key));
  const deps = syncDeps(database.db);
  wake = async (accountId) => {
    if (accountId === read.id) await workAccount(deps, read, never);
  };
  const kept = async () =>
    database.db.query<{ transaction_id: string }>(
      `select s.transaction_id
       from tieout.transaction_statuses as s
       join tieout.upstream_events as e using (account_id, transaction_id)
       where s.account_id = $1`,
      [read.id],
    );
  await waitFor("transactions that were told of are kept", async () => (await kept()).length >= 5);
  await sandbox.close();
  const windows = await readWindows(database.db, read.id);
  expect(new Set(windows.map(({ kind }) => kind))).toEqual(new Set(["event"]));
  const [{ covered } = { covered: "" }] = await database.db.query<{ covered: string }>(
    "select covered::text as covered from tieout.accounts where id = $1",
    [read.id],
  );
  // It proves nothing about any range of time.
  expect(covered).toBe("{}");
});

test("forged, replayed, old and foreign events do nothing", async () => {
  const [{ id: ours } = { id: 0 }] = await database.db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start)
     values ('ours', 'http://127.0.0.1:1', now()), ('theirs', 'http://127.0.0.1:1', now())
     returning id`,
  );
  secrets.set("ours", secret(key)).set("theirs", secret(otherKey));
  wake = async () => undefined;
  woken.length = 0;
  const counted = async () =>
    (
      await database.db.query<{ n: number }>(
        "select count(*)::int as n from tieout.upstream_events where account_id = $1",
        [ours],
      )
    )[0]?.n;

  const refused: Sent[] = [
    { key: otherKey },
    { signedBody: '{"data":{"transactionId":"T2"}}' },
    { ageMs: 6 * MINUTE },
    { ageMs: -6 * MINUTE },
    { id: "" },
  ];
  for (const sent of refused) {
    const answer = await send("ours", sent);
    expect([answer.status, answer.json["code"]]).toEqual([401, "signature_invalid"]);
  }
  // Signed by one account, sent to another; and to one that takes no events, or is not there.
  for (const account of ["theirs", "nowhere"]) expect((await send(account, {})).status).toBe(401);
  expect([await counted(), woken]).toEqual([0, []]);

  expect((await send("ours", {})).json).toEqual({ heard: true });
  expect((await send("ours", {})).json).toEqual({ heard: false });
  expect([await counted(), woken]).toEqual([1, [ours]]);

  for (const body of ["no JSON", "{}", '{"data":{"transactionId":7}}', '{"data":null}'])
    expect((await send("ours", { id: "evt_2", body })).json).toEqual({ heard: false });
  expect(await counted()).toBe(1);

  // Several that come before anyone reads are read together.
  await send("ours", { id: "evt_3", body: '{"data":{"transactionId":"T3"}}' });
  const windows = await readWindows(database.db, ours);
  expect(windows.map(({ kind, state }) => `${kind} ${state}`)).toEqual(["event planned"]);
});
