import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { aRecord, anAccount, keep } from "../api/some-records.ts";
import { startHttpServer } from "../support/http-server.ts";
import { startProcess } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import type { SenderOrders } from "../support/webhook-sender-process.ts";
import { anEndpoint, aSender, eventIn, signingKey } from "./an-endpoint.ts";

const database = useTestDatabase();
const program = fileURLToPath(new URL("../support/webhook-sender-process.ts", import.meta.url));
const events = 24;

test.each(["claim.after", "post.after", "settle.after"])(
  "a sender that is killed at %s loses no event",
  async (failpoint) => {
    const { db } = database;
    const receiver = await startHttpServer(() => ({ status: 200 }));
    onTestFinished(() => receiver.close());
    const accountId = await anAccount(db, failpoint);
    const endpoint = await anEndpoint(db, receiver.url, { accountIds: [accountId] });
    const records = Array.from({ length: events }, (_, n) => aRecord(n + 1));
    await keep(db, accountId, records, [], "live");
    const orders: SenderOrders = {
      databaseUrl: database.url.reveal(),
      signingKey,
      leaseMs: 200,
      failpoint,
      at: 2,
    };
    const child = startProcess(process.execPath, ["--import", "tsx", program], {
      ORDERS: JSON.stringify(orders),
    });
    onTestFinished(() => void child.child.kill("SIGKILL"));
    await child.finished;
    const left = async () =>
      (
        await db.query<{ n: number }>(
          "select count(*)::int as n from tieout.webhook_deliveries where endpoint_id = $1 and state = 'pending'",
          [endpoint.id],
        )
      )[0]?.n;
    expect(await left()).toBeGreaterThan(0);
    const sender = aSender(db, { leaseMs: 10_000 });
    onTestFinished(() => sender.stop());
    await waitFor("all are delivered", async () => (await left()) === 0);
    const ids = new Set(receiver.requests.map((request) => eventIn(request).data["transaction_id"]));
    expect(ids.size).toBe(events);
  },
);
