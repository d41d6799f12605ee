import { request } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHostCheck } from "../../src/api/known-hosts.ts";
import { makeApiKey, parseApiKey } from "../../src/core/api-key.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { usePage } from "../web/a-page.ts";
import { signIn } from "./as-visitor.ts";

const database = useTestDatabase();
let looks = 0;
const service = usePage(database, {
  trustedProxies: ["127.0.0.1", "::1"],
  isOurHost: createHostCheck({ listensOn: "127.0.0.1", publicUrl: "https://tieout.example" }),
  readiness: [
    {
      name: "counted",
      critical: true,
      run: async () => {
        looks += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    },
  ],
});
let key = "";
beforeAll(async () => {
  key = await aKey(database.db, "viewer");
});

describe("the log of requests", () => {
  beforeEach(() => void (service.log.length = 0));
  const requests = () => service.log.filter(({ event }) => event === "request");

  test("says which key asked, from which address, and what the client calls the request", async () => {
    const headers = { "x-forwarded-for": "192.0.2.33", "request-id": "mine-7" };
    await service.get("/v1/accounts", key, headers);
    expect(requests()).toMatchObject([
      {
        actor: `key:${parseApiKey(key)?.id}`,
        address: "192.0.2.33",
        client_request_id: "mine-7",
        request_id: "made-1",
      },
    ]);
  });

  test("says the same of who is signed in on the page, and of what the page asks for them", async () => {
    const visitor = await signIn(database.db, await aPerson(database.db, everyRole));
    await fetch(`${service.url}/exports/exp_x`, {
      headers: { ...visitor.headers, "x-forwarded-for": "192.0.2.34" },
    });
    const lines = requests();
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      expect(line).toMatchObject({
        actor: expect.stringMatching(/^person:/) as string,
        address: "192.0.2.34",
      });
  });

  test("names a key that lacks a scope, and none where none was sent", async () => {
    await service.get("/v1/keys", key);
    await service.get("/v1/keys", null);
    expect(requests().map(({ status, actor: who }) => [status, who])).toEqual([
      [403, `key:${parseApiKey(key)?.id}`],
      [401, undefined],
    ]);
  });
});

describe("the audit log", () => {
  const refusals = () =>
    database.db.query<{ action: string; subject: string; after: { reason: string; address: string } }>(
      "select action, subject, after from tieout.audit_log where action like '%.refused' order by number",
    );

  test("holds keys and sign-ins that were refused, with the address, and never the key", async () => {
    const unknown = makeApiKey((count) => new Uint8Array(count).fill(7));
    const from = { "x-forwarded-for": "192.0.2.44" };
    await service.get("/v1/accounts", unknown, from);
    await service.get("/v1/accounts", "hunter2", from);
    await service.get("/v1/accounts", null, from);
    await fetch(`${service.url}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ link: unknown }),
      headers: { origin: service.url, ...from },
    });
    const entries = await waitFor("all are written", async () => {
      const found = await refusals();
      return found.length >= 3 ? found : null;
    });
    const address = "192.0.2.44";
    const subject = `key_${parseApiKey(unknown)?.id}`;
    // Nobody waits for them, so they may come in any order.
    const told = new Set(
      entries.map(({ action, subject: who, after }) => JSON.stringify([action, who, after])),
    );
    expect(told).toEqual(
      new Set(
        [
          ["key.refused", "an unreadable key", { reason: "malformed", address }],
          ["key.refused", subject, { reason: "unknown", address }],
          ["session.refused", "a sign-in link", { reason: "used, expired or unknown", address }],
        ].map((entry) => JSON.stringify(entry)),
      ),
    );
    expect(JSON.stringify(entries)).not.toContain(unknown.slice(-20));
    expect(JSON.stringify(entries)).not.toContain("hunter2");
  });

  test("does not grow without bound when strangers try keys", async () => {
    for (let tries = 0; tries < 200; tries += 1) await service.get("/v1/accounts", `wrong-${tries}`);
    await waitFor("they are written", async () => (await refusals()).length >= 120);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await refusals()).length).toBe(120);
  });
});

describe("a host name", () => {
  test.each([
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.evil.example:80", 421],
    ["user@localhost", 421],
    ["tieout.example", 200],
    ["tieout.example:443", 200],
    ["localhost:8080", 200],
    ["app.localhost", 200],
    ["127.0.0.1", 200],
    ["[::1]:8080", 200],
    ["192.0.2.9:8080", 200],
  ])("%s is answered with %i", async (host, status) => {
    const direct = usingNoProxy;
    expect(direct(host) ? 200 : 421).toBe(status);
  });

  test("that is not ours reaches no route, keyless ones included, unless a proxy that is trusted sends it", async () => {
    expect(await askAs("evil.example", service.url)).toBe(200);
    expect(await askAs("evil.example", plain.url)).toBe(421);
    expect(await askAs("evil.example", plain.url, "/sign-in")).toBe(421);
    expect(await askAs("evil.example", plain.url, "/livez")).toBe(421);
    expect(await askAs("localhost", plain.url, "/livez")).toBe(200);
  });

  const usingNoProxy = createHostCheck({ listensOn: "127.0.0.1", publicUrl: "https://tieout.example" });
  const plain = usePage(database, {
    isOurHost: createHostCheck({ listensOn: "127.0.0.1", publicUrl: null }),
  });

  test("is anything where the service listens to the network and was told no address", () => {
    const open = createHostCheck({ listensOn: "0.0.0.0", publicUrl: null });
    expect(open("api:8080")).toBe(true);
    const told = createHostCheck({ listensOn: "0.0.0.0", publicUrl: "https://tieout.example" });
    expect([told("evil.example"), told("tieout.example")]).toEqual([false, true]);
  });
});

test("any number of watchers look at the database once a second", async () => {
  looks = 0;
  const answers = await Promise.all(Array.from({ length: 150 }, () => service.get("/readyz", null)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(looks).toBeLessThanOrEqual(3);
});

function askAs(host: string, url: string, path = "/version"): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url + path, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
