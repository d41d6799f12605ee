import type { Database } from "./database.ts";

/**
 * Calls back once at the start, and then whenever something is said on the channel, in whatever process; one call at a
 * time, and several notifications meanwhile are one. Returns when it is told to stop; throws when the connection is lost.
 */
export async function listenTo(
  database: Database,
  channel: "tieout_audit" | "tieout_webhooks",
  onNotification: () => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  await database.session(async (client) => {
    let due = true;
    let wake: () => void = () => undefined;
    const lost: { reason?: Error } = {};
    const ring = () => {
      due = true;
      wake();
    };
    const fail = (error: Error) => {
      lost.reason = error;
      wake();
    };
    client.on("notification", ring);
    client.on("error", fail);
    stopping.addEventListener("abort", ring);
    try {
      await client.query(`listen ${channel}`);
      while (!stopping.aborted && lost.reason === undefined) {
        if (due) {
          due = false;
          await onNotification();
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    } finally {
      client.off("notification", ring);
      client.off("error", fail);
      stopping.removeEventListener("abort", ring);
    }
    if (lost.reason !== undefined) throw lost.reason;
    await client.query("unlisten *");
  });
}
