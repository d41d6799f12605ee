import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Database } from "../database.ts";

/**
 * The queue on Postgres is woken by LISTEN and NOTIFY, which a transaction pooler between us and the server swallows
 * without a word. So one is sent through, from one session to another.
 */
export async function checkNotify(database: Database): Promise<void> {
  const channel = `tieout_check_${randomUUID().replaceAll("-", "")}`;
  await database.session(async (listener) => {
    await listener.query(`listen ${channel}`);
    const heard = once(listener, "notification");
    await database.query("select pg_notify($1, '')", [channel]);
    await heard;
    await listener.query(`unlisten ${channel}`);
  });
}
