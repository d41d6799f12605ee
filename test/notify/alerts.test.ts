import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { alertMail, isQuiet } from "../../src/notify/alert-mail.ts";
import { createMailer, type Mailer } from "../../src/notify/mailer.ts";
import { type AlertDeps, runAlerts } from "../../src/notify/run-alerts.ts";
import { holdAccount, resumeAccount } from "../../src/store/accounts/account-switches.ts";
import { addRecipient } from "../../src/store/notify/alert-recipients.ts";
import {
  createRule,
  removeRule,
  type RuleToMake,
  saveAlertSettings,
} from "../../src/store/notify/alert-rules.ts";
import { listOpenAlerts } from "../../src/store/notify/alerts.ts";
import { openMonth } from "../close/a-month.ts";
import { receive } from "../reconcile/receipts/bank.ts";
import { keepReconciled } from "../api/every-route.ts";
import { aRecord, anAccount, keep } from "../api/some-records.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { anEndpoint } from "./an-endpoint.ts";

const database = useTestDatabase();
const author = { actor: "test", requestId: "r" };
const noon = Date.parse("2026-11-16T12:00:00Z");

const mails: string[] = [];
let refuseMail = false;
let server: SMTPServer;
let port = 0;

beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "tie@out" && password === "p:w" ? done(null, { user: username }) : done(new Error("no")),
    onData: (stream, _session, done) => {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
      stream.on("end", () => {
        if (refuseMail) return done(new Error("full"));
        mails.push(text.replaceAll(/=\r\n/g, "").replaceAll("=3D", "="));
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  port = (server.server.address() as AddressInfo).port;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

afterEach(async () => {
  mails.length = 0;
  refuseMail = false;
  for (const table of ["alert_rules", "alerts", "alert_settings", "webhook_endpoints", "events"])
    await database.db.query(`delete from tieout.${table}`);
});

function run(more: Partial<AlertDeps> = {}): Promise<void> {
  const smtpUrl = secret(`smtp://tie%40out:p%3Aw@127.0.0.1:${port}`);
  return runAlerts({
    database: database.db,
    mailer: createMailer({ smtpUrl, from: "tieout@example.com" }),
    pageUrl: "https://tieout.example",
    now: () => noon,
    log: { info: () => undefined, warn: () => undefined },
    ...more,
  });
}

const rule = (kind: RuleToMake["kind"], more: Partial<RuleToMake> = {}) =>
  createRule(
    database.db,
    {
      kind,
      accountIds: null,
      limitSeconds: null,
      limitAmount: null,
      currency: null,
      byEmail: true,
      byWebhook: false,
      ...more,
    },
    author,
  );
const settings = async (more: Partial<Parameters<typeof saveAlertSettings>[1]> = {}) => {
  await addRecipient(database.db, "ada@example.com", author);
  await saveAlertSettings(
    database.db,
    { zone: "UTC", quietFrom: null, quietTo: null, digestAt: null, ...more },
    author,
  );
};
const open = async () =>
  (await listOpenAlerts({ database: database.db, accountIds: null })).map(({ title }) => title);

async function paused(name: string): Promise<{ id: number; name: string }> {
  const account = { id: await anAccount(database.db, name), name };
  await holdAccount(database.db, { ...account, reason: "x" }, author);
  return account;
}

test("every kind of rule finds what it watches, and nothing else", async () => {
  const id = await anAccount(database.db, "watched");
  const only = { accountIds: [id] };
  await keep(
    database.db,
    id,
    [aRecord(1)],
    [{ reason: "r", field: null, raw: "5", rawHash: "ab".repeat(32) }],
  );
  await keepReconciled(database.db, { accountId: id, name: "watched" });
  await database.db.query(
    `update tieout.discrepancies
     set provider = 'moonpay', code = 'payout_overdue', subject_kind = 'period', period_from = '2026-10-01', period_to = '2026-11-01'
     where account_id = $1 and id = (select max(id) from tieout.discrepancies where account_id = $1)`,
    [id],
  );
  await database.db.query(
    "update tieout.discrepancies set value = 600, value_currency = 'eur' where account_id = $1",
    [id],
  );
  await rule("quarantine", only);
  await rule("data_old", { ...only, limitSeconds: 900 });
  await rule("payout_overdue", only);
  await rule("value_at_risk", { ...only, limitAmount: "599.99", currency: "EUR" });
  await rule("value_at_risk", { ...only, limitAmount: "1000000", currency: "EUR" });
  await rule("statement_missing", only);
  await rule("account_paused", only);
  await run({ mailer: null });
  expect((await open()).toSorted()).toEqual([
    "A payout of moonpay for 2026-10-01 to 2026-11-01 is overdue, account watched",
    "Data of account watched is more than 00:15:00 old",
    "Open discrepancies in EUR add up to more than 599.99, account watched",
    "Records of account watched are in quarantine",
  ]);
});

test("a payout that was declared is overdue if its money has not come, and whoever sees its account is told", async () => {
  const books = await openMonth(database.db);
  await receive(books, [
    ["2026-03-02", "7", "before it"],
    ["2026-05-04", "7", "long after it"],
  ]);
  await rule("payout_overdue");
  await rule("value_at_risk", { accountIds: [books.accountId], limitAmount: "1", currency: "EUR" });
  await run({ mailer: null });
  const seen = await listOpenAlerts({ database: database.db, accountIds: [books.accountId] });
  expect(seen.map(({ title }) => title).toSorted()).toEqual([
    `Open discrepancies in EUR add up to more than 1, account ${books.name}`,
    `Payout P1 of moonpay has not arrived, account ${books.name}`,
  ]);
});

test("new alerts go out together, each once, with a link; again only after they were over", async () => {
  await settings();
  const [first, second] = [await paused("one"), await paused("two")];
  await rule("account_paused", { accountIds: [first.id, second.id] });
  await run();
  await run();
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain("Account one is paused");
  expect(mails[0]).toContain("Account two is paused");
  expect(mails[0]).toContain("https://tieout.example/sync");
  expect(mails[0]).toMatch(/^To: ada@example.com/m);
  await resumeAccount(database.db, first, author);
  await run();
  expect(await open()).toEqual(["Account two is paused"]);
  expect(mails).toHaveLength(1);
  await holdAccount(database.db, { ...first, reason: "again" }, author);
  await run();
  expect(mails).toHaveLength(2);
  expect(mails[1]).toMatch(/^Subject: tieout: Account one is paused/m);
});

test("in quiet hours mail waits, and a mail server that refuses loses nothing", async () => {
  await settings({ quietFrom: 11 * 60, quietTo: 13 * 60 });
  const { id } = await paused("quiet");
  await rule("account_paused", { accountIds: [id] });
  await run();
  expect([mails.length, await open()]).toEqual([0, ["Account quiet is paused"]]);
  refuseMail = true;
  await expect(run({ now: () => noon + 2 * 3_600_000 })).rejects.toThrow(/full/);
  refuseMail = false;
  await run({ now: () => noon + 2 * 3_600_000 });
  expect(mails).toHaveLength(1);
});

test("the daily digest comes once a day, at its time in its zone", async () => {
  // 12:00 UTC is 13:00 in Berlin.
  await settings({ zone: "Europe/Berlin", digestAt: 12 * 60 + 30 });
  await run({ now: () => noon - 3_600_000 });
  expect(mails).toHaveLength(0);
  await run();
  await run();
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatch(/^Subject: tieout: daily digest, 0 open/m);
  await run({ now: () => noon + 86_400_000 });
  expect(mails).toHaveLength(2);
});

test("a digest that the mail server refuses does not have the alerts sent again", async () => {
  await settings({ digestAt: 0 });
  const { id } = await paused("told once");
  await rule("account_paused", { accountIds: [id] });
  const sent: string[] = [];
  const mailer: Mailer = {
    send: async ({ subject }) => {
      if (subject.includes("digest")) throw new Error("451 try again later");
      sent.push(subject);
    },
  };
  for (let round = 0; round < 2; round++) await expect(run({ mailer })).rejects.toThrow("451");
  expect(sent).toEqual(["tieout: Account told once is paused"]);
});

test("two services that mail one person give their mails different ids", async () => {
  await settings({ digestAt: 0 });
  const ids: string[] = [];
  const mailer: Mailer = { send: async ({ messageId }) => void ids.push(messageId) };
  await run({ mailer, pageUrl: "https://tieout.example" });
  await database.db.query("update tieout.alert_settings set digest_day = null");
  await run({ mailer, pageUrl: "https://staging.tieout.example" });
  expect(new Set(ids).size).toBe(2);
});

test("rules that send webhooks write events, and a removed rule has nothing open", async () => {
  await anEndpoint(database.db, "https://example.com", { events: ["alert.raised", "alert.cleared"] });
  const { id } = await paused("hooked");
  const made = await rule("account_paused", { accountIds: [id], byEmail: false, byWebhook: true });
  await run();
  await run();
  await resumeAccount(database.db, { id, name: "hooked" }, author);
  await run();
  const told = async () => {
    const events = await database.db.query<{ said: string }>(
      "select concat_ws(' ', type, data ->> 'account') as said from tieout.events order by id",
    );
    return events.map(({ said }) => said);
  };
  const once = ["alert.raised hooked", "alert.cleared hooked"];
  expect(await told()).toEqual(once);
  await holdAccount(database.db, { id, name: "hooked", reason: "x" }, author);
  await run();
  expect(await removeRule(database.db, { accountIds: [id + 1] }, made.id, author)).toBe(false);
  expect(await removeRule(database.db, { accountIds: null }, made.id, author)).toBe(true);
  expect(await open()).toEqual([]);
  expect(await told()).toEqual([...once, ...once]);
});

test("a title cannot begin another header, and quiet hours go over midnight", () => {
  const alert = { id: 1, kind: "account_paused", title: "a\r\nBcc: x@example.com", path: "/" };
  expect(alertMail([alert], { pageUrl: "", heading: "" }).subject).not.toMatch(/[\r\n]/);
  const night = { quietFrom: 22 * 60, quietTo: 7 * 60 };
  expect([21 * 60 + 59, 22 * 60, 0, 6 * 60 + 59, 7 * 60].map((minute) => isQuiet(minute, night))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect(isQuiet(600, { quietFrom: null, quietTo: null })).toBe(false);
});
