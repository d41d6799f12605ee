import { parseInstant } from "../../core/instant.ts";
import { parseDay, startOfDay } from "../../core/period.ts";
import { zoneNamed } from "../../core/zone.ts";
import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import { extendHistory } from "../../store/accounts/accounts.ts";
import {
  holdAccount,
  listSyncAccounts,
  resumeAccount,
  type SyncAccount,
} from "../../store/accounts/account-switches.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Visitor, Web } from "../deps.ts";
import { reasonOf, textOf } from "../form-text.ts";
import { formatDay } from "../format.ts";
import { leaveNotice } from "../notice.ts";
import { showQuarantine } from "./quarantine.tsx";
import { showSync } from "./screen.tsx";

export function addSync(web: Web): void {
  addPage(web, "/sync", ["transactions:read"], (c, visitor) => showSync(web, c, visitor));
  addPage(web, "/sync/quarantine", ["transactions:read"], (c, visitor) => showQuarantine(web, c, visitor));

  addAction(web, "/sync/pause", ["sync:write"], async (c, visitor, form) => {
    const account = await chosenAccount(visitor, form);
    const reason = reasonOf(form);
    await holdAccount(
      web.api.deps.database,
      { ...account, reason: `paused by ${visitor.name}: ${reason}` },
      authorOf(c, visitor.caller),
    );
    leaveNotice(c, `Account ${account.name} is paused. It is not read until it is resumed.`);
    return c.redirect("/sync", 303);
  });

  addAction(web, "/sync/resume", ["sync:write"], async (c, visitor, form) => {
    const account = await chosenAccount(visitor, form);
    await resumeAccount(web.api.deps.database, account, authorOf(c, visitor.caller));
    leaveNotice(c, `Account ${account.name} is resumed: the workers read it again in their next round.`);
    return c.redirect("/sync", 303);
  });

  addAction(web, "/sync/backfill", ["sync:write"], async (c, visitor, form) => {
    const account = await chosenAccount(visitor, form);
    const from = readFrom(textOf(form, "from"), visitor);
    if (
      from >= (parseInstant(`${account.syncStart.slice(0, 10)}T${account.syncStart.slice(11, 19)}Z`) ?? "")
    ) {
      const first = formatDay(account.syncStart, visitor.preferences.zone);
      throw problem(
        "invalid_parameter",
        `Account ${account.name} is already read from ${first} on. Choose an earlier day.`,
      );
    }
    await extendHistory(
      web.api.deps.database,
      { id: account.id, name: account.name, from },
      authorOf(c, visitor.caller).actor,
    );
    leaveNotice(
      c,
      `Account ${account.name} is read back to ${textOf(form, "from")}. New windows appear below within a minute.`,
    );
    return c.redirect("/sync", 303);
  });
}

async function chosenAccount(visitor: Visitor, form: FormData): Promise<SyncAccount> {
  const name = textOf(form, "account");
  const [account] = await listSyncAccounts(visitor.reader, { account: [name] });
  if (account === undefined)
    throw problem("not_found", "This account does not exist, or you have no access to it.");
  return account;
}

function readFrom(text: string, visitor: Visitor) {
  const day = parseDay(text);
  if (day === null || day < "2009-01-03") {
    throw problem("invalid_parameter", "Choose the first day to read, for example 2026-01-01.");
  }
  return startOfDay(day, zoneNamed(visitor.preferences.zone));
}
