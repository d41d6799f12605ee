import { beforeAll, expect, test } from "vitest";
import { gatherCrowd } from "../support/hostile/crowd.ts";
import { faultOf } from "../support/hostile/judge.ts";
import { type Guise, hostileRequest } from "../support/hostile/requests.ts";
import { createSender } from "../support/hostile/send.ts";
import { isOfApi, readSurface, type Target } from "../support/hostile/surface.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { takeReceipts } from "../web/receipt-file.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";

const database = useTestDatabase();
const service = usePage(database);
/** More with FUZZ_REQUESTS, others with FUZZ_SEED; `npm run bench fuzz` sends tens of thousands to the real program. */
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 800);
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_115);
const atOnce = 4;

let targets: Target[] = [];
let guises: Guise[] = [];

beforeAll(async () => {
  const { db } = database;
  await takeStatement(db, await seedPage(db, Date.now()));
  await takeReceipts(db);
  guises = await gatherCrowd(db, 2);
  const all = guises.find(({ name }) => name === "everything");
  const headers = { cookie: all?.cookie ?? "", authorization: `Bearer ${all?.key}` };
  const ask = async (path: string) => (await fetch(service.url + path, { headers })).text();
  // Signing out would end the rest.
  const routes = [...service.api.access.keys()].filter((route) => !route.includes("sign-out"));
  targets = await readSurface(routes, ask);
});

test("what can be sent is learnt from the routes themselves", () => {
  const named = (route: string) => targets.find(({ method, path }) => `${method} ${path}` === route);
  expect([...(named("GET /v1/transactions")?.query.keys() ?? [])]).toContain("cursor");
  expect(named("POST /v1/keys")?.body).toMatchObject({ kind: "json", example: { role: "viewer" } });
  expect(named("POST /statements/preview")?.body).toMatchObject({ kind: "form", hasFile: true });
  expect(named("GET /discrepancies/:id")?.places).not.toEqual([]);
  expect(named("GET /v1/discrepancies/:id")?.places).not.toEqual([]);
});

test("the same seed sends the same request", () => {
  const make = (from: number) => hostileRequest({ targets, guises, origin: service.url }, from, 77);
  expect(make(seed)).toEqual(make(seed));
  expect(make(seed + 1)).not.toEqual(make(seed));
});

test(
  `${requests} hostile requests to every route: no 5xx, and nothing of our inside`,
  { timeout: 600_000 },
  async () => {
    const { send, close } = createSender(service.url);
    const found: unknown[] = [];
    const statuses = new Map<string, number>();
    let next = 0;
    const sendOn = async () => {
      while (next < requests) {
        const one = hostileRequest({ targets, guises, origin: service.url }, seed, next++);
        const answer = await send(one);
        if (answer === null) continue;
        const kind = `${isOfApi(one.path) ? "api" : "page"} ${answer.status}`;
        statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
        const fault = faultOf(answer);
        if (fault !== null) found.push({ ...one, body: one.body?.toString(), fault, text: answer.text });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendOn));
    await close();
    expect(found).toEqual([]);
    for (const kind of ["api 200", "api 400", "api 401", "api 403", "api 404"])
      expect(statuses.get(kind)).toBeGreaterThan(0);
    for (const kind of ["page 200", "page 303", "page 403", "page 404"])
      expect(statuses.get(kind)).toBeGreaterThan(0);
  },
);
