import { createHash } from "node:crypto";
import { DAY, MINUTE } from "../core/duration.ts";
import { localMs, zoneNamed } from "../core/zone.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type AlertSettings, readAlertSettings } from "../store/notify/alert-rules.ts";
import {
  hasRules,
  holdAlertSettings,
  judgeAlerts,
  listOpenAlerts,
  listToEmail,
  noteDigest,
  noteEmailed,
} from "../store/notify/alerts.ts";
import { alertMail, isQuiet } from "./alert-mail.ts";
import type { Mailer } from "./mailer.ts";

export interface AlertDeps {
  database: Database;
  /** `null`: no mail server is configured. */
  mailer: Mailer | null;
  /** Where the page is, for links. */
  pageUrl: string;
  now: () => number;
  log: { info(fields: object): void; warn(fields: object): void };
}

/**
 * One round: judges all rules, and sends what has to be sent. Only one process at a time does it, and what was sent is noted
 * in the database transaction of its mail: nothing is told twice, unless the process dies between the two.
 */
export async function runAlerts(deps: AlertDeps): Promise<void> {
  if (!(await hasRules(deps.database))) return;
  const judged = await deps.database.transaction(async (tx) =>
    (await holdAlertSettings(tx)) === null ? null : judgeAlerts(tx),
  );
  if (judged === null) return;
  if (judged.raised + judged.cleared > 0) deps.log.info({ event: "alerts_judged", ...judged });
  // Apart from the judging, and from each other: a mail server that is away must not undo what was found or sent.
  await deps.database.transaction((tx) => sendMail(deps, tx, sendNew));
  await deps.database.transaction((tx) => sendMail(deps, tx, sendDigest));
}

interface Sending {
  tx: Transaction;
  mailer: Mailer;
  settings: AlertSettings;
  /** The day of the last digest. */
  digestDay: string | null;
  /** By the clock of the settings' zone. */
  day: string;
  minute: number;
}

async function sendMail(
  deps: AlertDeps,
  tx: Transaction,
  send: (deps: AlertDeps, sending: Sending) => Promise<void>,
): Promise<void> {
  const held = await holdAlertSettings(tx);
  const settings = await readAlertSettings(tx);
  const { mailer } = deps;
  if (held === null || mailer === null || settings.recipients.length === 0) return;
  const local = localMs(zoneNamed(settings.zone).clock, deps.now());
  const minute = Math.floor((local % DAY) / MINUTE);
  const day = new Date(local).toISOString().slice(0, 10);
  await send(deps, { tx, mailer, settings, digestDay: held.digestDay, day, minute });
}

async function sendDigest(
  deps: AlertDeps,
  { tx, mailer, settings, digestDay, day, minute }: Sending,
): Promise<void> {
  if (settings.digestAt === null || minute < settings.digestAt || digestDay === day) return;
  const open = await listOpenAlerts({ database: tx, accountIds: null });
  const mail = alertMail(open, { pageUrl: deps.pageUrl, heading: "open alerts today" });
  const subject = `tieout: daily digest, ${open.length} open`;
  const messageId = idOf(deps, `digest ${day}`);
  await mailer.send({ to: settings.recipients, ...mail, subject, messageId });
  await noteDigest(tx, day);
  deps.log.info({ event: "alert_digest_sent", alerts: open.length });
}

async function sendNew(deps: AlertDeps, { tx, mailer, settings, minute }: Sending): Promise<void> {
  if (isQuiet(minute, settings)) return;
  const alerts = await listToEmail(tx);
  if (alerts.length === 0) return;
  const ids = alerts.map(({ id }) => id);
  const mail = alertMail(alerts, { pageUrl: deps.pageUrl, heading: "new alerts" });
  await mailer.send({ to: settings.recipients, ...mail, messageId: idOf(deps, `alerts ${ids.join()}`) });
  await noteEmailed(tx, ids);
  deps.log.info({ event: "alerts_emailed", alerts: ids.length });
}

/** Of this service alone: of two mails with one id, readers hide the second. */
function idOf({ pageUrl }: AlertDeps, text: string): string {
  const digest = createHash("sha256").update(`${pageUrl} ${text}`).digest("hex");
  return `<${digest.slice(0, 32)}@tieout>`;
}
