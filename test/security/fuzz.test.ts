import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { aKey } from "../api/an-api.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";
import { signIn, type VisitorOfTest } from "./as-visitor.ts";

const database = useTestDatabase();
const service = usePage(database);
/** More with FUZZ_REQUESTS, others with FUZZ_SEED. */
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 2_000);
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_115);

let key = "";
let visitor: VisitorOfTest;
let routes: [method: string, path: string][] = [];

beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  key = await aKey(database.db, "admin");
  visitor = await signIn(database.db, await aPerson(database.db, everyRole));
  // Reports have a test of their own; signing out would end the rest.
  routes = [...service.api.access.keys()]
    .map((route) => route.split(" ") as [string, string])
    .filter(([, path]) => !/sign-out|reports\/:file/.test(path));
});

const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 20 }),
  fc.integer().map(String),
  fc.constantFrom(
    "' or 1=1 --",
    "\0",
    "%00",
    "../../etc/passwd",
    "infinity",
    "NaN",
    "1e400",
    "9".repeat(300),
    "x".repeat(3_000),
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "2026-02-30",
    "0001-01-01",
    "acme-eu",
    "stm_1",
    "dis_1",
    "1:1",
    "moonpay",
    "{{7*7}}",
    "\r\nSet-Cookie: x=1",
  ),
);
const names = fc.oneof(
  fc.constantFrom(
    "id",
    "account",
    "limit",
    "cursor",
    "from",
    "to",
    "provider",
    "status",
    "q",
    "sort",
    "seen",
    "action",
    "reason",
    "back",
    "zone",
    "report",
    "csrf",
    "key",
    "link",
    "columns",
    "view",
    "expires",
    "signature",
    "__proto__",
  ),
  fc.string({ maxLength: 8 }),
);
const fields = fc.array(fc.tuple(names, nasty), { maxLength: 5 });

interface Attempt {
  kind: "json" | "form" | "multipart" | "csv" | "raw";
  query: [string, string][];
  body: [string, string][];
  segment: string;
  header: [string, string];
  json: string;
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  kind: fc.constantFrom("json", "form", "multipart", "csv", "raw"),
  query: fields,
  body: fields,
  segment: nasty,
  header: fc.tuple(
    fc.constantFrom(
      "accept",
      "accept-language",
      "range",
      "if-match",
      "if-none-match",
      "idempotency-key",
      "request-id",
      "x-forwarded-for",
      "x-forwarded-proto",
      "hx-request",
      "x-csrf-token",
      "content-encoding",
      "cookie",
      "x-service-secret",
    ),
    nasty,
  ),
  json: fc.oneof(fc.json(), fc.string({ unit: "binary" })),
});

test(
  `${requests} hostile requests to every route: no 5xx, no stack, nothing slow`,
  { timeout: 600_000 },
  async () => {
    let slowest = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), attempt), { minLength: 4, maxLength: 4 }),
        async (together) => {
          const begun = process.cpuUsage();
          await Promise.all(together.map(([which, one]) => judge(which, one)));
          const { user, system } = process.cpuUsage(begun);
          slowest = Math.max(slowest, (user + system) / 1_000);
        },
      ),
      { numRuns: requests / 4, seed },
    );
    expect(slowest).toBeLessThan(2_000);
    for (const status of [200, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(0);
  },
);

const statuses = new Map<number, number>();

async function judge(which: number, one: Attempt): Promise<void> {
  const [method = "GET", path = "/"] = routes[which % routes.length] ?? [];
  const answer = await send(method, path, one);
  if (answer === null) return;
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  expect({ method, path, failed: answer.status >= 500 }).toEqual({ method, path, failed: false });
  expect(answer.text).not.toMatch(
    /\n\s+at .*\.(ts|js|tsx):\d+|select .* from tieout|syntax error at|node_modules/i,
  );
}

async function send(
  method: string,
  path: string,
  one: Attempt,
): Promise<{ status: number; text: string } | null> {
  const isApi = /^\/(v1|mirror|metrics)/.test(path);
  const place = path.replaceAll(/:\w+/g, () => encodeURIComponent(one.segment) || "x");
  const query = new URLSearchParams(one.query);
  const headers = new Headers({ origin: service.url });
  try {
    headers.set(...one.header);
  } catch {
    // Not even a header.
  }
  if (isApi) headers.set("authorization", path.startsWith("/mirror") ? key : `Bearer ${key}`);
  else if (one.header[0] !== "cookie") headers.set("cookie", visitor.headers.cookie);
  const answer = await fetch(`${service.url}${place}?${query.toString()}`, {
    method,
    redirect: "manual",
    headers,
    ...(method === "GET" ? {} : { body: bodyOf(one, headers) }),
  }).catch((error: unknown) => {
    // A request that Node's own client refuses to send.
    if (error instanceof TypeError) return null;
    throw error;
  });
  return answer && { status: answer.status, text: await answer.text() };
}

function bodyOf(
  { kind, body, json, segment }: Attempt,
  headers: Headers,
): string | FormData | URLSearchParams {
  const signed: [string, string][] = [["csrf", visitor.csrf], ...body];
  switch (kind) {
    case "json":
      headers.set("content-type", "application/json");
      return json;
    case "form":
      return new URLSearchParams(signed);
    case "multipart": {
      const form = new FormData();
      for (const [name, value] of signed) form.append(name, value);
      form.append("file", new File([segment], "a.csv"));
      return form;
    }
    case "csv":
      headers.set("content-type", "text/csv");
      return `provider_transaction_id,status,fiat_currency,fiat_gross,effective_at\n${segment}`;
    default:
      headers.set("content-type", "multipart/form-data; boundary=x");
      return `--x\r\n${segment}`;
  }
}
