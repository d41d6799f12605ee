import { randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { TieoutError } from "../core/errors.ts";
import { createSandboxApp } from "./app.ts";
import { openJournal } from "./checkout/journal.ts";
import type { SandboxDeps } from "./context.ts";
import { openCountryFinder } from "./country-of-ip.ts";
import { createLedger } from "./ledger/ledger.ts";
import { ledgerRoutes } from "./ledger/routes.ts";
import { sandboxDefaults, type SandboxOptions } from "./options.ts";
import { refusalBody } from "./refusal.ts";
import { statementRoutes } from "./statements/routes.ts";
import { type Answers, createAnswers, type TransactionDeps } from "./transactions/answers.ts";
import { plainDialect } from "./transactions/dialect.ts";
import { noFaults, type Switches } from "./transactions/faults.ts";
import { createTransactionHandler } from "./transactions/request-handler.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { createWorld } from "./world/create-world.ts";

export interface RunningSandbox {
  readonly url: string;
  readonly legacyUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly port: number;
  /** May be changed while the sandbox runs. */
  readonly switches: Switches;
  close(): Promise<void>;
}

/** Starts a complete aggregator. Nothing lives in modules, so any number can run side by side in one process. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { apiKey = sandboxDefaults.apiKey, apiSecret = sandboxDefaults.apiSecret } = options;
  const host = options.host ?? sandboxDefaults.host;
  const warn = options.warn ?? (() => {});
  assertUsable(options);
  const world = createWorld(options.seed ?? sandboxDefaults.seed);
  const journal = openJournal({ dataDir: options.dataDir, extraFields: options.extraFields, warn });
  const server = createServer();
  const origin = () => options.publicUrl ?? addressOf(server, host);
  const deps: SandboxDeps = {
    world,
    credentials: { apiKey, apiSecret },
    journal,
    countries: await openCountryFinder(),
    settings: {
      defaultCountry: (options.defaultCountry ?? sandboxDefaults.defaultCountry).toUpperCase(),
      trustForwardedFor: options.trustForwardedFor ?? false,
      timeScale: options.timeScale ?? sandboxDefaults.timeScale,
      sessionSeconds: options.sessionSeconds ?? sandboxDefaults.sessionSeconds,
      quoteErrors: options.quoteErrors ?? false,
    },
    now: options.now,
    randomBytes: options.randomBytes ?? randomBytes,
    origin,
    warn,
  };
  const transactions = readTransactionDeps(deps, options);
  const answers = observed(createAnswers(transactions), options.onAnswer);
  const app = createSandboxApp(deps, (all) => {
    all.route("/", transactionRoutes(answers));
    all.route("/", ledgerRoutes(transactions));
    all.route("/", statementRoutes({ ...transactions, world }));
  });
  server.on("request", answerFirst(createTransactionHandler(answers), getRequestListener(app.fetch), warn));
  try {
    await listen(server, host, options.port);
  } catch (error) {
    journal.close();
    throw error;
  }
  return {
    url: origin(),
    legacyUrl: `${origin()}/legacy`,
    apiKey,
    apiSecret,
    port: (server.address() as AddressInfo).port,
    switches: transactions.switches,
    async close() {
      await stop(server);
      journal.close();
    },
  };
}

function assertUsable({ timeScale = 1, sessionSeconds = 1, defaultCountry = "US" }: SandboxOptions): void {
  if (!(timeScale > 0)) throw new TieoutError("usage", `timeScale: expected more than 0, found ${timeScale}`);
  if (!(sessionSeconds > 0))
    throw new TieoutError("usage", `sessionSeconds: expected more than 0, found ${sessionSeconds}`);
  if (!/^[A-Za-z]{2}$/.test(defaultCountry)) {
    throw new TieoutError(
      "usage",
      `defaultCountry: expected a two-letter code such as US, found "${defaultCountry}"`,
    );
  }
}

function readTransactionDeps(deps: SandboxDeps, options: SandboxOptions): TransactionDeps {
  const { world, credentials, journal, now } = deps;
  // Whole days, so that a sandbox started again on the same day has the same history.
  const toMs = options.toMs ?? Math.floor(now() / dayMs) * dayMs;
  const ledger = createLedger({
    world,
    journal,
    apiKey: credentials.apiKey,
    transactions: options.transactions ?? sandboxDefaults.transactions,
    fromMs: options.fromMs ?? toMs - historyDays * dayMs,
    toMs,
    live: options.live ?? false,
    clusterMs: options.clusterMs ?? 1,
  });
  const switches = { dialect: options.dialect ?? plainDialect, faults: options.faults ?? noFaults };
  return { ledger, seed: world.seed, credentials, switches, now };
}

function observed(answers: Answers, onAnswer: SandboxOptions["onAnswer"]): Answers {
  if (!onAnswer) return answers;
  return {
    list(request) {
      const answer = answers.list(request);
      onAnswer({ query: request.query }, answer);
      return answer;
    },
    single(request, transactionId) {
      const answer = answers.single(request, transactionId);
      onAnswer({ query: request.query, transactionId }, answer);
      return answer;
    },
  };
}

const dayMs = 86_400_000;
const historyDays = 90;

/** Listings are read by the million, so they are answered before the router is asked. */
function answerFirst(
  fast: ReturnType<typeof createTransactionHandler>,
  router: ReturnType<typeof getRequestListener>,
  warn: (message: string) => void,
): RequestListener {
  return (request, response) => {
    try {
      if (!fast(request, response)) void router(request, response);
    } catch (error) {
      warn(`${request.method} ${request.url}: ${error instanceof Error ? error.stack : String(error)}`);
      response.writeHead(500, { "content-type": "application/json" });
      response.end(
        JSON.stringify(refusalBody("INTERNAL", "The sandbox failed to answer; its log says why.")),
      );
    }
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const message = taken
        ? `port ${port} is taken; choose another with --port`
        : `cannot listen on ${host}:${port}`;
      reject(new TieoutError("port_taken", message, { cause }));
    });
    server.listen(port, host, () => resolve());
  });
}

/** Answers what is being asked, then goes: connections that only wait for another request are closed. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  });
}

const graceMs = 1000;

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  // "Every address" is nothing a browser can open.
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
