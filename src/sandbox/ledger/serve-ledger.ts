import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Journal } from "../checkout/journal.ts";
import type { SandboxEnv } from "../context.ts";
import type { Credentials } from "../credentials.ts";
import { statementRoutes } from "../statements/routes.ts";
import { createAnswers } from "../transactions/answers.ts";
import type { Switches } from "../transactions/faults.ts";
import { createTransactionHandler } from "../transactions/request-handler.ts";
import { transactionRoutes } from "../transactions/routes.ts";
import type { World } from "../world/types.ts";
import { createLedger } from "./ledger.ts";
import { ledgerRoutes } from "./routes.ts";

export interface ServedLedgerOptions {
  readonly world: World;
  readonly credentials: Credentials;
  readonly journal: Pick<Journal, "records">;
  readonly now: () => number;
  /** Number of seeded transactions, spread evenly over `[fromMs, toMs)`. */
  readonly transactions: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether they go on arriving after `toMs`. */
  readonly live: boolean;
  /** Cuts status dates to multiples of this; 1 leaves them alone. */
  readonly clusterMs: number;
  /** May be changed while the sandbox runs. */
  readonly switches: Switches;
}

export interface ServedLedger {
  addRoutes(app: OpenAPIHono<SandboxEnv>): void;
  /** For the server's `request` event, before the application: `false` means the request is not for it. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** All that the sandbox serves from its ledger: the transactions, the summary behind them, and the statements. */
export function serveLedger(options: ServedLedgerOptions): ServedLedger {
  const { world, credentials, switches, now } = options;
  const ledger = createLedger({ ...options, apiKey: credentials.apiKey });
  const deps = { ledger, seed: world.seed, credentials, switches, now };
  const answers = createAnswers(deps);
  return {
    addRoutes(app) {
      app.route("/", transactionRoutes(answers));
      app.route("/", ledgerRoutes(deps));
      app.route("/", statementRoutes({ world, ledger, credentials, now }));
    },
    handle: createTransactionHandler(answers),
  };
}
