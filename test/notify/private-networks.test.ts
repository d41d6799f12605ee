import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import { isIP } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { endpointUrlCheck } from "../../src/notify/endpoint-url.ts";
import { createPoster, type EventPoster, type PosterOptions } from "../../src/notify/post-event.ts";
import type { LookupAll } from "../../src/notify/reachable-addresses.ts";
import { sendTestEvent } from "../../src/store/notify/deliveries.ts";
import { type ScriptedAnswer, type ScriptedServer, startHttpServer } from "../support/http-server.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { anEndpoint, aSender } from "./an-endpoint.ts";

const refused = "is in a private network";

/** In every spelling that a URL or a name server may bring them in. */
const privateAddresses = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.8.8.8",
  "169.254.169.254",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "ff02::1",
];

describe("an endpoint's address", () => {
  const check = endpointUrlCheck([]);

  test.each([
    ...privateAddresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)),
    "localhost",
    "service.localhost",
    // What a browser takes for 127.0.0.1 as well.
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
  ])("https://%s is refused before anything is stored", (host) => {
    expect(check(`https://${host}/hooks`)).toContain("private network");
  });

  test.each([
    ["http://example.com/", "is not https"],
    ["ftp://example.com/", "is not https"],
    ["file:///etc/passwd", "is not https"],
    ["https://user:password@example.com/", "user name or password"],
    ["example.com", "is not an address"],
  ])("%s is refused: %s", (url, says) => {
    expect(check(url)).toContain(says);
  });

  test("is taken where it is public, or where its network was named", () => {
    for (const host of ["example.com", "8.8.8.8", "[2606:4700::1111]"])
      expect(check(`https://${host}/hooks`)).toBeNull();
    const named = endpointUrlCheck(["10.1.0.0/16", "fd00::/8"]);
    expect(named("http://10.1.2.3/hooks")).toBeNull();
    expect(named("https://[fd00::7]/hooks")).toBeNull();
    expect(named("https://10.2.0.1/hooks")).toContain("private network");
  });
});

describe("the sender", () => {
  let receiver: ScriptedServer;
  let answer: ScriptedAnswer = {};
  const asked: string[] = [];
  const posters: EventPoster[] = [];

  beforeEach(async () => {
    answer = { status: 204, body: "", headers: { connection: "close" } };
    asked.length = 0;
    receiver = await startHttpServer(() => answer);
  });
  afterEach(async () => {
    await Promise.all(posters.splice(0).map((poster) => poster.close()));
    await receiver.close();
  });

  /** A poster whose names lead where the test says, each answer once and the last one for ever. */
  function posting(answers: readonly (readonly string[])[], more: Partial<PosterOptions> = {}) {
    const lookup: LookupAll = (host, _options, done) => {
      asked.push(host);
      const found = answers[Math.min(asked.length, answers.length) - 1] ?? [];
      done(
        null,
        found.map((address): LookupAddress => ({ address, family: isIP(address) })),
      );
    };
    const poster = createPoster({ allowedNetworks: [], connectionsMax: 2, lookup, ...more });
    posters.push(poster);
    return (url: string) => poster.post(url, {}, "{}");
  }

  test.each(privateAddresses)("connects to no name that leads to %s", async (address) => {
    const post = posting([[address]]);
    const { status, error } = await post(`https://receiver.example:${receiver.port}/`);
    expect([status, error]).toEqual([null, expect.stringContaining(refused)]);
    expect([asked, receiver.connections]).toEqual([["receiver.example"], 0]);
  });

  test.each(privateAddresses)(
    "connects to no address %s that someone has stored all the same",
    async (host) => {
      const post = posting([]);
      const inUrl = isIP(host) === 6 ? `[${host}]` : host;
      const { error } = await post(`https://${inUrl}:${receiver.port}/`);
      expect(error).toContain(refused);
      expect([asked, receiver.connections]).toEqual([[], 0]);
    },
  );

  test("refuses a name with one private address among public ones, and one that leads nowhere", async () => {
    const mixed = await posting([["93.184.216.34", "127.0.0.1"]])(`https://mixed.example:${receiver.port}/`);
    expect(mixed.error).toContain(refused);
    expect((await posting([[]])("https://nowhere.example/")).error).toContain(refused);
    expect(receiver.connections).toBe(0);
  });

  test("connects to the address that was checked: a name is asked once for a connection, and each answer is judged", async () => {
    let reached = 0;
    const elsewhere = createServer((_request, response) => {
      reached++;
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(receiver.port, "127.0.0.2", resolve));
    onTestFinished(() => void elsewhere.close());
    const post = posting([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]], {
      allowedNetworks: ["127.0.0.1/32"],
    });
    const url = `http://rebinding.example:${receiver.port}/`;
    expect(await post(url)).toEqual({ status: 204, error: null });
    // Had it been asked a second time for the same connection, that would have led to the other address.
    expect([asked.length, receiver.requests.length]).toEqual([1, 1]);
    expect((await post(url)).error).toContain(refused);
    expect(await post(url)).toEqual({ status: 204, error: null });
    expect([asked.length, receiver.requests.length, reached]).toEqual([3, 2, 0]);
  });

  test.each([301, 302, 303, 307, 308])("follows no redirect (%i), wherever it leads", async (status) => {
    answer = {
      status,
      headers: { location: "http://169.254.169.254/latest/meta-data", connection: "close" },
    };
    const post = posting([["127.0.0.1"]], { allowedNetworks: ["127.0.0.0/8"] });
    const outcome = await post(`http://receiver.example:${receiver.port}/`);
    expect(outcome).toEqual({ status, error: `the receiver answered ${status}` });
    expect([asked, receiver.requests.length]).toEqual([["receiver.example"], 1]);
  });

  test("speaks plain http only where the network was named, also to a public address", async () => {
    const post = posting([["93.184.216.34"]]);
    expect((await post("http://receiver.example/")).error).toContain(refused);
    expect((await post("http://93.184.216.34/")).error).toContain(refused);
  });
});

describe("a delivery", () => {
  const database = useTestDatabase();

  test("to a private address fails, says why, and is tried again later", async () => {
    const receiver = await startHttpServer([{ status: 204 }]);
    onTestFinished(() => receiver.close());
    const endpoint = await anEndpoint(database.db, receiver.url.replace("http:", "https:"));
    const poster = createPoster({ allowedNetworks: [], connectionsMax: 1 });
    const sender = aSender(database.db, { poster });
    onTestFinished(async () => {
      await sender.stop();
      await poster.close();
    });
    await sendTestEvent(database.db, endpoint.id, { actor: "test" });
    const row = await waitFor("the refusal is noted", async () => {
      const [delivery] = await database.db.query<{ state: string; error: string }>(
        "select state, error from tieout.webhook_deliveries where error is not null",
      );
      return delivery ?? null;
    });
    expect(row).toEqual({ state: "pending", error: expect.stringContaining("WEBHOOK_ALLOWED_NETWORKS") });
    expect(receiver.connections).toBe(0);
  });
});
