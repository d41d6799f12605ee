import { expect, onTestFinished, test } from "vitest";
import { endpointSecret } from "../../src/core/webhook-signature.ts";
import { anEndpoint, aSender, isSignedBy, signingKey } from "../notify/an-endpoint.ts";
import { anAccount } from "../api/some-records.ts";
import { startHttpServer } from "../support/http-server.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

test("an endpoint is added, tried, looked at, rotated, replayed and removed", async () => {
  await anAccount(database.db, "acme");
  const receiver = await startHttpServer([{ status: 500 }, { status: 204, body: "" }]);
  onTestFinished(() => receiver.close());
  const made = await webhooks("create", "--url", receiver.url, "--account", "acme", "--event", "*", "--json");
  expect(made).toMatchObject({ code: 0 });
  const shown = JSON.parse(made.stdout) as { id: string; secret: string; accounts: string[] };
  const endpoint = { id: shown.id.slice("wh_".length) };
  expect(shown).toMatchObject({
    accounts: ["acme"],
    secret: endpointSecret(signingKey, { ...endpoint, version: 1 }),
  });
  const list = await webhooks("list");
  expect(list.stdout).toContain(`${shown.id}  enabled  ${receiver.url}  *  (accounts acme; 0 waiting)`);
  expect(list.stdout).not.toContain(shown.secret);

  const tried = await webhooks("test", shown.id);
  const [event] = /evt_\d+/.exec(tried.stderr) ?? [];
  expect((await webhooks("deliveries", shown.id)).stdout).toMatch(
    new RegExp(`^${event}  [-0-9]{10}T[0-9:.]{12}Z  webhook.test  pending`),
  );
  const mistyped = await webhooks("deliveries", shown.id, "--state", "faild");
  expect([mistyped.code, mistyped.stdout]).toEqual([2, ""]);
  expect(mistyped.stderr).toContain("pending, delivered, failed");
  const sender = aSender(database.db);
  onTestFinished(() => sender.stop());
  await waitFor("the receiver has refused it", () => receiver.requests.length >= 1);
  const [first] = receiver.requests;
  expect(first && isSignedBy(first, endpoint, 1)).toBe(true);
  await waitFor(
    "the refusal is noted",
    async () => (await webhooks("deliveries", shown.id)).stdout.includes("the receiver answered 500"),
    { timeoutMs: 60_000 },
  );

  const rotated = await webhooks("rotate", shown.id, "--overlap", "2h");
  expect(rotated.stdout.trim()).toBe(endpointSecret(signingKey, { ...endpoint, version: 2 }));
  await database.db.query("update tieout.webhook_deliveries set state = 'failed', settled_at = now()");
  expect((await webhooks("replay", shown.id)).stderr).toContain("0 events are sent again");
  await webhooks("test", shown.id);
  await waitFor("the next one is taken", () => receiver.requests.length >= 2);
  const last = receiver.requests.at(-1);
  expect([1, 2].map((version) => last && isSignedBy(last, endpoint, version))).toEqual([true, true]);

  await sender.stop();
  expect((await webhooks("remove", shown.id)).stderr).toContain(`Removed: ${shown.id}`);
  expect((await webhooks("list", "--json")).stdout).toBe("[]\n");
});

test("without --json the secret stands alone on stdout, and the words about it on stderr", async () => {
  const { stdout, stderr } = await webhooks(
    "create",
    "--url",
    "https://example.com/hooks",
    "--event",
    "payout.received,period.closed",
  );
  expect(stdout).toMatch(/^whsec_[A-Za-z0-9+/=]+\n$/);
  expect(stderr).toContain("payout.received period.closed  (all accounts; 0 waiting)");
  expect(stderr).toContain("shown only now");
});

test("what is refused is refused with a clear line", async () => {
  const { id } = await anEndpoint(database.db, "https://example.com/hooks");
  const refusals: [string[], RegExp][] = [
    [["create"], /required option '--url <address>'/],
    [["create", "--url", "https://169.254.169.254/"], /is in a private network; name the network in/],
    [["create", "--url", "http://10.0.0.1/"], /is in a private network/],
    [
      ["create", "--url", "https://example.com", "--event", "weather"],
      /--event: expected one of transaction/,
    ],
    [["create", "--url", "https://example.com", "--account", "nobody"], /there is no account nobody/],
    [["deliveries", "wh_000000000000"], /there is no webhook wh_000000000000: see tieout webhooks list/],
    [["rotate", `wh_${id}`, "--overlap", "2"], /--overlap: expected a duration such as 1d, found "2"/],
    [["replay", `wh_${id}`, "--from", "yesterday"], /--from: /],
  ];
  const answers = await Promise.all(refusals.map(([args]) => webhooks(...args)));
  for (const [index, [args, says]] of refusals.entries()) {
    const { code, stdout, stderr } = answers[index] ?? {};
    expect([args, code, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toMatch(says);
  }
});

function webhooks(...args: string[]) {
  return runTieout(["webhooks", ...args], {
    DATABASE_URL: database.url.reveal(),
    WEBHOOK_SIGNING_KEY: signingKey,
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
  });
}
