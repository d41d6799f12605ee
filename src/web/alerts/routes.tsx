import { isAlertKind, alertKinds } from "../../core/alert-kinds.ts";
import { parseDecimal } from "../../core/decimal.ts";
import { parseDurationMs, SECOND } from "../../core/duration.ts";
import { isEmailAddress } from "../../core/email-address.ts";
import { findZone } from "../../core/zone.ts";
import { chooseAccounts } from "../../api/choose-accounts.ts";
import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import { addRecipient, recipientsMax, removeRecipient } from "../../store/notify/alert-recipients.ts";
import { createRule, removeRule, saveAlertSettings } from "../../store/notify/alert-rules.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { showAlerts } from "./screen.tsx";

const scopes = ["settings:write"] as const;
const place = "/settings/alerts";

export function addAlerts(web: Web): void {
  const { database } = web.api.deps;
  addPage(web, place, scopes, (c, visitor) => showAlerts(web, c, visitor));

  addAction(web, `${place}/add`, scopes, async (c, visitor, form) => {
    const kind = textOf(form, "kind");
    if (!isAlertKind(kind)) throw problem("invalid_parameter", "Choose what to watch.");
    const account = textOf(form, "account");
    const names = account === "" ? undefined : [account];
    await createRule(
      database,
      {
        kind,
        accountIds: await chooseAccounts(visitor.reader, names),
        ...limitIn(kind, form),
        byEmail: textOf(form, "by_email") === "true",
        byWebhook: textOf(form, "by_webhook") === "true",
      },
      authorOf(c, visitor.caller),
    );
    leaveNotice(c, "Rule added. It is checked every minute.");
    return c.redirect(place, 303);
  });

  addAction(web, `${place}/remove`, scopes, async (c, visitor, form) => {
    const text = textOf(form, "id");
    const id = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (!(await removeRule(database, visitor.reader, id, authorOf(c, visitor.caller))))
      throw problem("not_found", "There is no such rule that you may see.");
    leaveNotice(c, "The rule is removed.");
    return c.redirect(place, 303);
  });

  addAction(
    web,
    `${place}/recipients/add`,
    scopes,
    async (c, visitor, form) => {
      const address = textOf(form, "address");
      if (!isEmailAddress(address))
        throw problem("invalid_parameter", `"${address}" is not an e-mail address, such as ada@example.com.`);
      if ((await addRecipient(database, address, authorOf(c, visitor.caller))) === null)
        throw problem(
          "state_conflict",
          `There can be at most ${recipientsMax} recipients; use a mailing list.`,
        );
      leaveNotice(c, `${address} gets alerts by e-mail.`);
      return c.redirect(place, 303);
    },
    { wholeService: true },
  );

  addAction(
    web,
    `${place}/recipients/remove`,
    scopes,
    async (c, visitor, form) => {
      const removed = await removeRecipient(database, textOf(form, "id"), authorOf(c, visitor.caller));
      if (removed === null) throw problem("not_found", "There is no such recipient.");
      leaveNotice(c, `${removed.address} no longer gets alerts.`);
      return c.redirect(place, 303);
    },
    { wholeService: true },
  );

  addAction(
    web,
    `${place}/settings`,
    scopes,
    async (c, visitor, form) => {
      const zone = textOf(form, "zone") || "UTC";
      if (findZone(zone) === null) throw problem("invalid_parameter", `There is no time zone ${zone}.`);
      const quietFrom = minuteIn(form, "quiet_from");
      const quietTo = minuteIn(form, "quiet_to");
      if ((quietFrom === null) !== (quietTo === null))
        throw problem("invalid_parameter", "Quiet hours need both a start and an end.");
      const settings = {
        zone,
        quietFrom,
        quietTo,
        digestAt: minuteIn(form, "digest_at"),
      };
      await saveAlertSettings(database, settings, authorOf(c, visitor.caller));
      leaveNotice(c, "Saved.");
      return c.redirect(place, 303);
    },
    { wholeService: true },
  );
}

function limitIn(kind: keyof typeof alertKinds, form: FormData) {
  const none = { limitSeconds: null, limitAmount: null, currency: null };
  const { limit } = alertKinds[kind];
  if (limit === "seconds") {
    const ms = parseDurationMs(textOf(form, "limit"));
    if (ms === null) throw problem("invalid_parameter", "Enter how old data may get, for example 15m or 2h.");
    return { ...none, limitSeconds: Math.round(ms / SECOND) };
  }
  if (limit === null) return none;
  const limitAmount = parseDecimal(textOf(form, "limit"));
  const currency = textOf(form, "currency").toLowerCase();
  if (limitAmount === null || limitAmount.startsWith("-") || !/^[a-z0-9_]{2,20}$/.test(currency))
    throw problem("invalid_parameter", "Enter how much may be at risk, for example 1000 and eur.");
  return { ...none, limitAmount, currency };
}

/** `07:30` as minutes after midnight; `null` when it is left empty. */
function minuteIn(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  if (text === "") return null;
  const [, hours = "", minutes = ""] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === "") throw problem("invalid_parameter", `${text} is not a time of day, such as 07:30.`);
  return Number(hours) * 60 + Number(minutes);
}
