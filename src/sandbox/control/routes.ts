import { OpenAPIHono, z } from "@hono/zod-openapi";
import { TieoutError } from "../../core/errors.ts";
import { decideCheckout } from "../checkout/decide.ts";
import { statusAt } from "../checkout/purchase.ts";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { dialectWords, parseDialect, type Dialect } from "../transactions/dialect.ts";
import { faultKinds } from "../transactions/faults.ts";
import {
  answerFaults,
  endpointGroups,
  parseAllFaults,
  worldTroubles,
  writeAllFaults,
} from "../trouble/trouble.ts";

/**
 * The control address: dialect and faults while the sandbox runs, and the decision about an order that a person would
 * take on its page. Off unless asked for, and then for the first account's key and secret only.
 */
export function controlRoutes(deps: SandboxDeps): OpenAPIHono<SandboxEnv> {
  const { switches } = deps;
  const app = new OpenAPIHono<SandboxEnv>();
  app.use("/sandbox/control/*", async (c, next) => {
    const account = deps.accounts.requireSecret(
      c.req.header("authorization"),
      c.req.header("x-service-secret"),
    );
    if (account !== deps.accounts.first) {
      throw new RefusedError(
        "API_KEY_INVALID",
        "The control address takes the first account's key.",
        "Authorization",
      );
    }
    await next();
  });

  const show = () => ({ dialect: writeDialect(switches.dialect), faults: writeAllFaults(switches) });

  app.get("/sandbox/control", (c) =>
    c.json({
      ...show(),
      words: dialectWords,
      kinds: { ...faultKinds, ...worldTroubles, outage: { unit: "providers", about: "joined by +" } },
      endpoints: { groups: ["all", "transactions", ...endpointGroups], kinds: answerFaults },
    }),
  );

  app.put("/sandbox/control", async (c) => {
    const wanted = switchesSchema.safeParse(await c.req.json().catch(() => null));
    if (!wanted.success) {
      throw new RefusedError(
        "INVALID_BODY",
        'Send {"dialect": "window=creation", "faults": "429=0.05,outage=moonpay"}, or one of them.',
      );
    }
    const { dialect, faults } = wanted.data;
    const next = usable(() => ({
      ...(dialect === undefined ? {} : { dialect: parseDialect(dialect) }),
      ...(faults === undefined ? {} : parseAllFaults(faults)),
    }));
    Object.assign(switches, next);
    return c.json(show());
  });

  app.post("/sandbox/control/orders/:transactionId", async (c) => {
    const entry = deps.journal.byTransaction(c.req.param("transactionId"));
    if (!entry) throw new RefusedError("NOT_FOUND", "There is no such order.", "transactionId");
    const wanted = decisionSchema.safeParse(await c.req.json().catch(() => null));
    if (!wanted.success)
      throw new RefusedError("INVALID_BODY", 'Send {"decision": "pay"}, "fail" or "cancel".');
    decideCheckout(deps, entry, wanted.data.decision);
    const decided = deps.journal.byTransaction(c.req.param("transactionId")) ?? entry;
    return c.json({ transactionId: entry.purchase.transactionId, status: statusAt(decided, deps.now()) });
  });
  return app;
}

const switchesSchema = z.strictObject({ dialect: z.string().optional(), faults: z.string().optional() });
const decisionSchema = z.strictObject({ decision: z.enum(["pay", "fail", "cancel"]) });

function writeDialect(dialect: Dialect): string {
  return Object.entries(dialect)
    .map(([name, word]) => `${name}=${word}`)
    .join(",");
}

/** A mistake in the words of a switch is the caller's. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TieoutError) throw new RefusedError("INVALID_BODY", error.message);
    throw error;
  }
}
