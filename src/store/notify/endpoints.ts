import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { EventType } from "../../core/event-types.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import { type AccountReader, seenWhollyBy } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { accounts } from "../schema/accounts.ts";
import { webhookEndpoints } from "../schema/notify.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** An endpoint as it is kept, with its accounts by name and how much waits for it. */
export type Endpoint = typeof webhookEndpoints.$inferSelect & {
  accounts: string[] | null;
  pending: number;
};

const columns = {
  ...getTableColumns(webhookEndpoints),
  accounts: sql<string[] | null>`case when ${webhookEndpoints.accountIds} is not null then array(
    select a.name from ${accounts} as a where a.id = any(${webhookEndpoints.accountIds}) order by a.name) end`,
  pending: sql<number>`(select count(*)::int from (
    select from tieout.webhook_deliveries as d where d.endpoint_id = ${webhookEndpoints.id} and d.state = 'pending'
    limit 1000) as waiting)`,
};

export interface EndpointToMake {
  id: string;
  url: string;
  description: string;
  events: readonly (EventType | "*")[];
  accountIds: readonly number[] | null;
  keyFingerprint: string;
}

export async function createEndpoint(
  database: Database,
  wanted: EndpointToMake,
  author: Author,
): Promise<Endpoint> {
  return database.transaction(async (tx) => {
    await tx.orm.insert(webhookEndpoints).values({
      ...wanted,
      events: [...wanted.events],
      accountIds: wanted.accountIds && [...wanted.accountIds],
      createdBy: author.actor,
    });
    const held = await heldEndpoint(tx, wanted.id);
    await audit(tx, author, "webhook.created", held, null);
    return held;
  });
}

export const endpointPaging = pagingBy(webhookEndpoints, "descending", "createdAt", "id");

/** A key that is limited to accounts sees the endpoints that are limited to them as well. */
export async function listEndpoints(reader: AccountReader, page: PageWanted): Promise<Page<Endpoint>> {
  const select = reader.database.orm.select(columns).from(webhookEndpoints).$dynamic();
  return selectPage(select, endpointPaging, page, [seenWhollyBy(reader, webhookEndpoints.accountIds)]);
}

export async function readEndpoint(reader: AccountReader, id: string): Promise<Endpoint | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(webhookEndpoints)
    .where(and(seenWhollyBy(reader, webhookEndpoints.accountIds), eq(webhookEndpoints.id, id)));
  return row ?? null;
}

export interface EndpointChange {
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly (EventType | "*")[] | undefined;
  accountIds?: readonly number[] | null | undefined;
  state?: "enabled" | "disabled" | undefined;
}

/** `null`: someone else has changed it since it was seen. */
export async function changeEndpoint(
  database: Database,
  seen: { id: string; version: number },
  change: EndpointChange,
  author: Author,
): Promise<Endpoint | null> {
  return database.transaction(async (tx) => {
    const before = await heldEndpoint(tx, seen.id);
    const { url, description, events, accountIds, state } = change;
    const changed = await tx.orm
      .update(webhookEndpoints)
      .set({
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(events === undefined ? {} : { events: [...events] }),
        ...(accountIds === undefined ? {} : { accountIds: accountIds && [...accountIds] }),
        ...(state === undefined ? {} : stateColumns(state)),
        version: sql`${webhookEndpoints.version} + 1`,
      })
      .where(and(eq(webhookEndpoints.id, seen.id), eq(webhookEndpoints.version, seen.version)))
      .returning({ id: webhookEndpoints.id });
    if (changed.length === 0) return null;
    const held = await heldEndpoint(tx, seen.id);
    await audit(tx, author, "webhook.changed", held, before);
    return held;
  });
}

function stateColumns(state: "enabled" | "disabled") {
  return state === "enabled"
    ? { state, disabledAt: null, disabledReason: null, failures: 0, failingSince: null, lastError: null }
    : { state, disabledAt: clockNow, disabledReason: "disabled by hand" };
}

/** Its deliveries go with it; what was sent stays in the audit log only as far as people did it. */
export async function deleteEndpoint(database: Database, id: string, author: Author): Promise<Endpoint> {
  return database.transaction(async (tx) => {
    const held = await heldEndpoint(tx, id);
    await tx.orm.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id));
    await recordAudit(tx, {
      ...author,
      action: "webhook.deleted",
      subject: `wh_${id}`,
      before: describe(held),
    });
    return held;
  });
}

/** From now on the next secret signs, and for the overlap the one before it as well. */
export async function rotateSecret(
  database: Database,
  endpoint: { id: string; keyFingerprint: string; overlapMs: number },
  author: Author,
): Promise<Endpoint> {
  return database.transaction(async (tx) => {
    await tx.orm
      .update(webhookEndpoints)
      .set({
        secretVersion: sql`${webhookEndpoints.secretVersion} + 1`,
        // With another signing key the secret before it cannot be made any longer.
        previousUntil: sql`case when ${webhookEndpoints.keyFingerprint} = ${endpoint.keyFingerprint}
          then ${clockIn(endpoint.overlapMs)} end`,
        keyFingerprint: endpoint.keyFingerprint,
        version: sql`${webhookEndpoints.version} + 1`,
      })
      .where(eq(webhookEndpoints.id, endpoint.id));
    const held = await heldEndpoint(tx, endpoint.id);
    const { secretVersion, previousUntil } = held;
    const after = { secret_version: secretVersion, previous_until: previousUntil };
    await recordAudit(tx, { ...author, action: "webhook.rotated", subject: `wh_${endpoint.id}`, after });
    return held;
  });
}

async function heldEndpoint(tx: Queryable, id: string): Promise<Endpoint> {
  const held = await readEndpoint({ database: tx, accountIds: null }, id);
  if (held === null) throw new Error(`webhook endpoint ${id} is gone`);
  return held;
}

async function audit(
  tx: Transaction,
  author: Author,
  action: string,
  held: Endpoint,
  before: Endpoint | null,
): Promise<void> {
  await recordAudit(tx, {
    ...author,
    action,
    subject: `wh_${held.id}`,
    ...(before === null ? {} : { before: describe(before) }),
    after: describe(held),
  });
}

/** Of the address only the host: a path or a query may hold what opens the receiver's door. */
function describe({ url, description, events, accounts: names, state }: Endpoint): object {
  return { host: new URL(url).host, description, events, accounts: names, state };
}
