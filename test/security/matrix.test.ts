import { beforeAll, describe, expect, test } from "vitest";
import { effectiveScopes, roles, scopesOfRoles } from "../../src/core/roles.ts";
import { isOpen } from "../../src/access/access.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";
import { signIn, type VisitorOfTest } from "./as-visitor.ts";

const database = useTestDatabase();
const service = usePage(database);
const accounts = ["all", "acme-eu", "acme-us"] as const;

const keys = new Map<string, string>();
const visitors = new Map<string, VisitorOfTest>();
/** Words that only the first account has. */
let ownWords: string[] = [];
let ids: Record<string, string> = {};

beforeAll(async () => {
  const { db } = database;
  const completed = await seedPage(db, Date.now());
  await takeStatement(db, completed);
  ownWords = ["acme-eu", ...completed.flatMap(({ id, providerId, hash }) => [id, providerId, hash])];
  const [found] = await db.query<Record<string, string>>(
    `select (select max(id)::text from tieout.statements) as statements,
            (select max(id)::text from tieout.discrepancies) as discrepancies,
            (select max(id)::text from tieout.payouts) as payouts,
            (select max(id)::text from tieout.matches) as matches,
            (select transaction_id from tieout.transactions where account_id = 1 order by 1 limit 1) as transactions`,
  );
  ids = found ?? {};
  const accountIds = { all: null, "acme-eu": [1], "acme-us": [2] };
  for (const role of roles) {
    for (const account of accounts) {
      const key = await aKey(db, role, { accountIds: accountIds[account] });
      keys.set(`${role} ${account}`, key);
      const person = await aPerson(db, role, { accountIds: accountIds[account] });
      visitors.set(`${role} ${account}`, await signIn(db, person));
    }
  }
});

interface RouteUnderTest {
  method: string;
  path: string;
  /** `null`: needs neither key nor session. */
  scopes: readonly string[] | null;
  isPage: boolean;
  wholeService: boolean;
}

function everyRoute(): RouteUnderTest[] {
  return [...service.api.access].map(([route, access]) => {
    const [method = "", path = ""] = route.split(" ");
    const isPage = access.session !== undefined;
    const scopes = access.session ?? (isOpen(access) ? null : access.scopes);
    return { method, path, scopes, isPage, wholeService: access.wholeService === true };
  });
}

/** With the things of the first account in place of the parameters, spelled as this route spells them. */
function fill({ path, isPage }: RouteUnderTest): string {
  const noun = path.replace("/v1", "").replace("/mirror", "").split("/")[1] ?? "";
  const prefix = { statements: "stm_", discrepancies: "dis_", payouts: "po_", matches: "mat_" }[noun] ?? "";
  const id = `${isPage ? "" : prefix}${ids[noun] ?? "x"}`;
  const filled = path.replace(/:(id|transactionId)/, encodeURIComponent(id));
  if (path === "/transactions/one") return `${path}?id=${encodeURIComponent(id)}`;
  return filled
    .replace(":name", "moonpay")
    .replace(":provider", "moonpay")
    .replace(":file", "transactions.csv?from=2026-01-01&to=2026-01-02&partial=true");
}

async function ask(route: RouteUnderTest, who: string | null): Promise<{ status: number; text: string }> {
  const { method, isPage, path } = route;
  const key = who === null ? null : (keys.get(who) ?? "");
  const visitor = who === null ? null : visitors.get(who);
  const mirror = path.startsWith("/mirror");
  const headers: Record<string, string> = {
    origin: service.url,
    ...(method === "POST" && !isPage ? { "content-type": "application/json" } : {}),
    ...(isPage || key === null ? {} : { authorization: mirror ? key : `Bearer ${key}` }),
    ...(mirror && key !== null ? { "x-service-secret": key } : {}),
    ...(isPage ? visitor?.headers : {}),
  };
  const body = isPage ? new URLSearchParams({ csrf: visitor?.csrf ?? "" }) : "{}";
  const answer = await fetch(service.url + fill(route), {
    method,
    headers,
    redirect: "manual",
    ...(method === "GET" ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe("every route", () => {
  test("is decided for every role and every account, and nobody sees or does what is not theirs", async () => {
    const routes = everyRoute().filter(({ path }) => !path.startsWith("/sign-out"));
    const wrong: string[] = [];
    let decisions = 0;
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const stranger = await ask(route, null);
      decisions += 1;
      const turnedAway = route.isPage ? stranger.status === 303 : stranger.status === 401;
      if (route.scopes !== null && !turnedAway) wrong.push(`${name}: nobody got ${stranger.status}`);
      for (const role of route.scopes === null ? [] : roles) {
        const held = new Set<string>(route.isPage ? scopesOfRoles([role]) : effectiveScopes(role, []));
        const may = route.scopes?.every((scope) => held.has(scope)) ?? true;
        for (const account of accounts) {
          const { status, text } = await ask(route, `${role} ${account}`);
          decisions += 1;
          const allowed = may && !(route.wholeService && account !== "all");
          if (allowed === (status === 403)) wrong.push(`${name}: ${role} of ${account} got ${status}`);
          if (status >= 500) wrong.push(`${name}: ${role} of ${account} got ${status}`);
          // An error repeats the path that it was asked for, which named something of the other account.
          const shown =
            account === "acme-us" && status < 400 ? ownWords.filter((word) => text.includes(word)) : [];
          if (shown.length > 0) wrong.push(`${name}: ${role} of ${account} is shown ${shown[0]}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(decisions).toBeGreaterThan(600);
    console.info(`${routes.length} routes, ${decisions} decisions`);
  });
});
