import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { isOpen } from "../../src/access/access.ts";
import { makeLink } from "../../src/access/sign-in.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { signIn } from "./as-visitor.ts";
import { sendFromElsewhere } from "./longest-wait.ts";

const megabyte = 1024 * 1024;

describe("a stranger", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const pages = () =>
    [...service.api.access.keys()]
      .filter((route) => /^POST \/(?!v1\/)/.test(route))
      .map((route) => route.slice(5));

  test("who sends twenty megabytes of form to any page is answered at once, and nobody waits", async () => {
    const body = "a&".repeat(10 * megabyte);
    for (const path of pages()) await post(path, "a=b");
    for (const path of pages()) {
      const before = process.memoryUsage.rss();
      const processor = process.cpuUsage();
      const headers = { origin: service.url, "content-type": "application/x-www-form-urlencoded" };
      const { status, longestWaitMs } = await sendFromElsewhere(service.url, path, { headers, body });
      // The service may close the connection while the rest is still being sent.
      expect({ path, refused: [303, 413, 0].includes(status) }).toEqual({ path, refused: true });
      expect({ path, waited: longestWaitMs < 100 || longestWaitMs }).toEqual({ path, waited: true });
      expect(process.cpuUsage(processor).user / 1_000).toBeLessThan(2_000);
      expect((process.memoryUsage.rss() - before) / megabyte).toBeLessThan(100);
    }
  });

  test("who is signed in has no larger form either, unless it brings a file", async () => {
    const { headers, csrf } = await signIn(database.db, await aPerson(database.db, everyRole));
    for (const path of pages()) {
      const status = await post(path, `csrf=${csrf}&x=${"x".repeat(64 * 1024)}`, headers);
      expect([path, status]).toEqual([path, 413]);
    }
  });

  test("nor one with more fields than any form of the page, however short they are", async () => {
    const { headers, csrf } = await signIn(database.db, await aPerson(database.db, everyRole));
    for (const path of pages()) {
      const status = await post(path, `csrf=${csrf}${"&a".repeat(3_000)}`, headers);
      expect([path, status]).toEqual([path, 413]);
    }
    // One field less is a form like any other, if an odd one.
    expect(await post("/views/save", `csrf=${csrf}${"&a".repeat(2_999)}`, headers)).not.toBe(413);
  });

  async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<number> {
    const answer = await fetch(service.url + path, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { origin: service.url, "content-type": "application/x-www-form-urlencoded", ...headers },
    }).catch(() => null);
    // The service may close the connection while the rest is still being sent.
    return answer?.status ?? 413;
  }
});

describe("the number of requests", () => {
  const database = useTestDatabase();
  const few = { quota: 5, windowSeconds: 60 };
  const service = usePage(database, {
    rateLimits: { default: few, visitor: few, download: few, probe: few },
    trustedProxies: ["127.0.0.1", "::1"],
  });
  let visitors = 0;
  const newAddress = () => `192.0.2.${++visitors}`;

  test("of a stranger is limited on every route that needs no key, page and all", async () => {
    const open = [...service.api.access]
      .filter(([route, access]) => isOpen(access) && route !== "GET /livez")
      .map(([route]) => route.split(" ") as [string, string]);
    expect(open.length).toBeGreaterThan(20);
    for (const [method, path] of [...open, ["GET", "/nothing/like/this"] as const]) {
      const address = newAddress();
      const statuses: number[] = [];
      for (let tries = 0; tries < 6; tries++) statuses.push(await ask(method, path, address));
      expect([method, path, statuses.at(-1), statuses.slice(0, 5).includes(429)]).toEqual([
        method,
        path,
        429,
        false,
      ]);
    }
  });

  test("of one client behind the proxy is not another's, and what the client claims itself does not count", async () => {
    const [mine, theirs] = [newAddress(), newAddress()];
    for (let tries = 0; tries < 6; tries++) await ask("GET", "/version", mine);
    expect(await ask("GET", "/version", mine)).toBe(429);
    expect(await ask("GET", "/version", theirs)).toBe(200);
    expect(await ask("GET", "/version", `198.51.100.7, ${mine}`)).toBe(429);
  });

  test("of anything else does not use up that of downloads", async () => {
    const address = newAddress();
    for (let tries = 0; tries < 9; tries++) await ask("GET", "/version", address);
    expect(await ask("GET", "/v1/exports/exp_x/download?expires=1&signature=x", address)).toBe(403);
  });

  test("does not touch those who are signed in", async () => {
    const { headers } = await signIn(database.db, await aPerson(database.db, "viewer"));
    const address = newAddress();
    for (let tries = 0; tries < 9; tries++) expect(await ask("GET", "/settings", address, headers)).toBe(200);
  });

  async function ask(
    method: string,
    path: string,
    address: string,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const answer = await fetch(service.url + path.replaceAll(/:\w+/g, "x"), {
      method,
      redirect: "manual",
      headers: { "x-forwarded-for": address, origin: service.url, ...headers },
      ...(method === "POST" ? { body: new URLSearchParams({ key: "x" }) } : {}),
    });
    await answer.text();
    return answer.status;
  }
});

describe("without a proxy that is trusted", () => {
  const database = useTestDatabase();
  const service = usePage(database, { rateLimits: { default: { quota: 5, windowSeconds: 60 } } });
  let link = "";
  beforeAll(async () => {
    const personId = await aPerson(database.db, "viewer");
    link = await database.db.transaction((tx) =>
      makeLink(tx, randomBytes, { purpose: "sign_in", personId, createdBy: "test" }),
    );
  });

  test("an address that a client claims gives it no new budget", async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const headers = { "x-forwarded-for": `192.0.2.${tries}` };
      statuses.push((await fetch(`${service.url}/version`, { headers })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  test("a client that claims https gets the cookie of plain http", async () => {
    const answer = await fetch(`${service.url}/sign-in`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ link }),
      headers: { origin: service.url, "x-forwarded-proto": "https" },
    });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^tieout_session=/);
  });
});
