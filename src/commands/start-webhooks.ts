import { randomUUID } from "node:crypto";
import { MINUTE, SECOND } from "../core/duration.ts";
import type { Secret } from "../core/secret.ts";
import type { Metrics } from "../metrics.ts";
import { createPoster } from "../notify/post-event.ts";
import { startWebhookSender } from "../notify/webhook-sender.ts";
import { openDatabase } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { pause, randomShare } from "./open-accounts.ts";
import { workerName } from "./sync-deps.ts";
import { openWebhookKey } from "./webhook-key.ts";

/** Open connections to one receiver; as many deliveries go to it at once. */
const connectionsMax = 64;

const patienceMs = 2 * SECOND;

/** Sends webhooks from this process. A pool of its own: a busy sync must not delay what others wait for. */
export async function startWebhooks(
  context: CommandContext,
  { url, metrics }: { url: Secret; metrics: Metrics },
): Promise<{ stop: () => Promise<void> }> {
  const { config, log, now } = context;
  const database = openDatabase(url, {
    part: "notify",
    connectionsMax: 4,
    statementTimeoutMs: MINUTE,
    onError: (error) => log.warn({ event: "database_connection", reason: error.message }),
  });
  const poster = createPoster({ allowedNetworks: config.webhooks.allowedNetworks, connectionsMax });
  const sender = startWebhookSender({
    database,
    poster,
    signingKey: await openWebhookKey(config),
    sender: `${workerName()} ${randomUUID()}`,
    now,
    random: randomShare,
    log,
    perEndpoint: connectionsMax,
    onAttempt: (attempt) => metrics.observeWebhook(attempt),
  });
  return {
    stop: async () => {
      // A receiver that hangs must not hold up the end; what it was sent is sent again.
      const stopped = sender.stop();
      await Promise.race([stopped, pause(patienceMs)]);
      await poster.close();
      await stopped;
      await database.close();
    },
  };
}
