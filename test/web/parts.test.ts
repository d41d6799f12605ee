import { gunzipSync } from "node:zlib";
import { get } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { sortingBy } from "../../src/web/parts/sorting.ts";
import { loadAssets } from "../../src/web/asset-files.ts";
import { maskCsrfToken, csrfTokenOf, unmaskCsrfToken } from "../../src/web/session-cookie.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

describe("the parts of screens", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  let visitor: VisitorOfTest;
  beforeAll(async () => {
    await seedPage(database.db, Date.now());
    visitor = await signIn(database.db, await aPerson(database.db, everyRole));
  });

  test("a screen is sent compressed, at a fraction of its size", async () => {
    const { encoding, body } = await raw(`${service.url}/transactions`, visitor.headers);
    expect(encoding).toBe("gzip");
    const text = gunzipSync(body).toString("utf8");
    expect(text).toContain("<h1>Transactions</h1>");
    expect(text.length / body.length).toBeGreaterThan(5);
    const plain = await fetch(`${service.url}/transactions`, {
      headers: { ...visitor.headers, "accept-encoding": "identity" },
    });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toContain("<h1>Transactions</h1>");
  });

  test("the token of forms looks different on every screen, and is the same", async () => {
    const look = async () => {
      const html = await (await fetch(`${service.url}/settings`, { headers: visitor.headers })).text();
      return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? "";
    };
    const [first, second] = [await look(), await look()];
    expect(first).not.toBe(second);
    expect(unmaskCsrfToken(first).equals(unmaskCsrfToken(second))).toBe(true);
  });

  test("whoever is signed in keeps the way to every screen when something is not found or not allowed", async () => {
    const viewer = await signIn(database.db, await aPerson(database.db, "viewer"));
    for (const [path, who, status] of [
      ["/statements/999999", visitor, 404],
      ["/nowhere", visitor, 404],
      ["/receipts/lines/none", visitor, 404],
      ["/settings/audit", viewer, 403],
    ] as const) {
      const headers = { ...who.headers, accept: "text/html,*/*" };
      const answer = await fetch(service.url + path, { headers });
      const text = await answer.text();
      expect([path, answer.status, text.includes('id="problem"')]).toEqual([path, status, true]);
      expect([path, text.includes('aria-label="Screens"')]).toEqual([path, true]);
    }
    const stranger = await fetch(`${service.url}/nowhere`, { headers: { accept: "text/html,*/*" } });
    expect(await stranger.text()).not.toContain('aria-label="Screens"');
  });

  test("settings are in the bar, and each of their tabs shows all of them", async () => {
    const read = async (path: string) =>
      (await fetch(service.url + path, { headers: visitor.headers })).text();
    const first = await read("/settings");
    expect(first.split("</nav>")[0]).toContain('<a href="/settings" aria-current="page">Settings</a>');
    const [, strip = ""] = first.split('<nav aria-label="Settings">');
    const tabs = [...strip.slice(0, strip.indexOf("</nav>")).matchAll(/href="([^"]+)"/g)].map(([, to]) => to);
    expect(tabs).toHaveLength(10);
    for (const tab of tabs) {
      const [, own = ""] = (await read(tab ?? "")).split('<nav aria-label="Settings">');
      expect([tab, own.split("</nav>")[0]]).toEqual([
        tab,
        expect.stringContaining(`href="${tab}" aria-current="page"`),
      ]);
    }
  });

  test("an address that leads nowhere is a page for people, and JSON for programs", async () => {
    const page = await fetch(`${service.url}/nowhere`, { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await page.text()).toContain('href="/overview"');
    for (const [path, accept] of [
      ["/nowhere", "*/*"],
      ["/v1/nowhere", "text/html"],
    ] as const) {
      const answer = await fetch(service.url + path, { headers: { accept } });
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        404,
        "application/problem+json",
      ]);
    }
  });
});

test("one style sheet, all of it in layers", () => {
  const assets = loadAssets();
  const file = assets.find(assets.urlOf("page.css").replace("/assets/", ""));
  const css = Buffer.from(file?.body ?? []).toString("utf8");
  expect(css.match(/^@layer (\w+) \{/gm)).toHaveLength(6);
  const outside = css
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^@layer \w+ \{[\s\S]*?^\}/gm, "")
    .trim();
  expect(outside).toBe("@layer tokens, base, parts, screens, phone, print;");
  // Nothing from elsewhere.
  expect(css).not.toMatch(/@import|url\(/);
});

test("sorting by a column is an address, and a second click turns it round", () => {
  const address = new URLSearchParams("provider=moonpay&cursor=abc&sort=-value");
  const at = { path: "/discrepancies", address, now: "-value" };
  expect(sortingBy(at, "value")).toEqual({
    sortHref: "/discrepancies?provider=moonpay&sort=value",
    "aria-sort": "descending",
  });
  expect(sortingBy(at, "provider", "ascending")).toEqual({
    sortHref: "/discrepancies?provider=moonpay&sort=provider",
  });
});

test("a masked token is unmasked to itself, and a wrong one to something else", () => {
  const token = csrfTokenOf("session");
  const random = (count: number) => new Uint8Array(count).fill(7);
  const masked = maskCsrfToken(token, random);
  expect(masked).not.toContain(token);
  expect(unmaskCsrfToken(masked).toString("base64url")).toBe(token);
  expect(unmaskCsrfToken(masked.slice(0, -2)).toString("base64url")).not.toBe(token);
});

/** As it comes over the wire: `fetch` would unpack it. */
function raw(url: string, headers: Record<string, string>): Promise<{ encoding: unknown; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { ...headers, "accept-encoding": "gzip" } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ encoding: answer.headers["content-encoding"], body: Buffer.concat(pieces) }),
      );
    }).on("error", reject);
  });
}
