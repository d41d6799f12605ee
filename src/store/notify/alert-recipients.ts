import { createHash } from "node:crypto";
import type { Database, Queryable, Transaction } from "../database.ts";
import type { Keyset, Page, PageWanted } from "../keyset.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { readAlertSettings } from "./alert-rules.ts";

/** Whom alerts are sent to by e-mail. The id is made of the address, so that no address stands in a log of requests. */
export interface AlertRecipient {
  id: string;
  address: string;
}

/** A mail to more people than this is better sent to a mailing list. */
export const recipientsMax = 20;

export const recipientPaging: { keyset: Keyset; positionOf: (row: AlertRecipient) => string[] } = {
  keyset: { keys: [{ expression: "address", kind: "text" }], descending: false },
  positionOf: ({ address }) => [address],
};

/** In the order of their addresses. They are few, and held together in one row. */
export async function listRecipients(database: Queryable, page: PageWanted): Promise<Page<AlertRecipient>> {
  const after = page.after?.[0];
  const rows = (await allRecipients(database)).filter(
    ({ address }) => after === undefined || address > after,
  );
  return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit };
}

export async function allRecipients(database: Queryable): Promise<AlertRecipient[]> {
  const { recipients } = await readAlertSettings(database);
  return recipients.toSorted().map(recipientOf);
}

/** One that is there already, in whatever case, stays as it is. `null`: there are too many. */
export async function addRecipient(
  database: Database,
  address: string,
  author: Author,
): Promise<AlertRecipient | null> {
  return database.transaction(async (tx) => {
    const held = await holdRecipients(tx);
    const wanted = recipientOf(address);
    const known = held.find((one) => recipientOf(one).id === wanted.id);
    if (known !== undefined) return recipientOf(known);
    if (held.length >= recipientsMax) return null;
    await saveRecipients(tx, [...held, address]);
    await recordAudit(tx, {
      ...author,
      action: "alert_recipient.added",
      subject: wanted.id,
      after: { address },
    });
    return wanted;
  });
}

/** `null`: there is no such recipient. */
export async function removeRecipient(
  database: Database,
  id: string,
  author: Author,
): Promise<AlertRecipient | null> {
  return database.transaction(async (tx) => {
    const held = await holdRecipients(tx);
    const address = held.find((one) => recipientOf(one).id === id);
    if (address === undefined) return null;
    await saveRecipients(
      tx,
      held.filter((one) => one !== address),
    );
    await recordAudit(tx, {
      ...author,
      action: "alert_recipient.removed",
      subject: id,
      before: { address },
    });
    return recipientOf(address);
  });
}

function recipientOf(address: string): AlertRecipient {
  const digest = createHash("sha256").update(address.toLowerCase()).digest("hex");
  return { id: `arc_${digest.slice(0, 16)}`, address };
}

/** Two people who add or remove at the same moment both do. */
async function holdRecipients(tx: Transaction): Promise<string[]> {
  await tx.query("insert into tieout.alert_settings default values on conflict do nothing");
  const [row] = await tx.query<{ recipients: string[] }>(
    "select recipients from tieout.alert_settings for update",
  );
  return row?.recipients ?? [];
}

async function saveRecipients(tx: Transaction, recipients: readonly string[]): Promise<void> {
  await tx.query("update tieout.alert_settings set recipients = $1", [recipients]);
}
