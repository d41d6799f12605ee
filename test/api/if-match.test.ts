import { beforeAll, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";
import { extensions, keepReconciled } from "./every-route.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database, { extensions });

interface Operation {
  operationId: string;
  parameters?: { name: string }[];
  responses: Record<string, { headers?: object; content?: Record<string, { schema?: { $ref?: string } }> }>;
}

let admin = "";
let discrepancy = "";
let operations: (Operation & { method: string })[];

beforeAll(async () => {
  const accountId = await anAccount(database.db, "main");
  await keep(database.db, accountId, [aRecord(1)], []);
  ({ discrepancy } = await keepReconciled(database.db, { accountId, name: "main" }));
  admin = await aKey(database.db, "admin");
  const { text } = await server.get("/openapi.json", null);
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  operations = Object.values(paths).flatMap((path) =>
    Object.entries(path).map(([method, operation]) => ({ method, ...operation })),
  );
});

type Sent = Record<string, string>;
interface Versioned {
  read: () => Promise<Answer>;
  change: (headers: Sent) => Promise<Answer>;
}

/** One of each kind that several people may change, by the name of its schema. */
const kinds: Record<string, () => Promise<Versioned>> = {
  AccountSetting: async () =>
    at("/v1/accounts/main/settings/functional_currency", "PUT", { value: "EUR", reason: "a test" }),
  ProviderSettings: async () =>
    at("/v1/providers/moonpay/settings?account=main", "PATCH", { names: ["Moon Pay"], reason: "a test" }),
  Discrepancy: async () => {
    const path = `/v1/discrepancies/${discrepancy}`;
    return {
      read: () => server.get(path, admin),
      change: (headers) =>
        server.send("POST", `${path}/actions`, admin, { action: "assign", owner: null }, headers),
    };
  },
  AlertRule: async () => ruleOf(await makeRule({})),
  Webhook: async () => {
    const body = { url: "https://hooks.example/in", events: ["*"] };
    const { json } = await server.send("POST", "/v1/webhooks", admin, body);
    return at(`/v1/webhooks/${String(json["id"])}`, "PATCH", { description: "changed" });
  },
};

function at(path: string, method: string, body: object): Versioned {
  return {
    read: () => server.get(path, admin),
    change: (headers) => server.send(method, path, admin, body, headers),
  };
}

function makeRule(headers: Sent): Promise<Answer> {
  return server.send("POST", "/v1/alert-rules", admin, { kind: "payout_overdue" }, headers);
}

function ruleOf({ json }: Answer): Versioned {
  return at(`/v1/alert-rules/${String(json["id"])}`, "PATCH", { by_webhook: true });
}

test("every tag of what several people may change is taken by If-Match, also when the answer is sent again", async () => {
  expect(new Set(operations.filter(takesTag).map(schemaOf))).toEqual(new Set(Object.keys(kinds)));
  for (const [name, begin] of Object.entries(kinds)) {
    const held = await begin();
    for (const operation of operations.filter((one) => schemaOf(one) === name && one.method !== "delete")) {
      const { operationId: id, method } = operation;
      for (const key of method === "get" ? [null] : [null, id]) {
        const seen: Sent = takesTag(operation) ? { "if-match": tagOf(await held.read()) } : {};
        const headers = key === null ? seen : { ...seen, "idempotency-key": key };
        const ask = () => {
          if (method === "get") return held.read();
          if (takesTag(operation)) return held.change(headers);
          expect(id, "how is it asked?").toBe("createAlertRule");
          return makeRule(headers);
        };
        if (key !== null) await ask();
        const answer = await ask();
        const changed = id === "createAlertRule" ? ruleOf(answer) : held;
        const { status, json } = await changed.change({ "if-match": tagOf(answer) });
        expect([id, key, status, json["detail"]]).toEqual([id, key, 200, undefined]);
      }
    }
  }
});

function takesTag({ parameters = [] }: Operation): boolean {
  return parameters.some((one) => one.name === "If-Match");
}

function schemaOf({ responses }: Operation): string | undefined {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return answer?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1);
}

function tagOf({ headers }: Answer): string {
  return headers.get("etag") ?? "none came";
}
