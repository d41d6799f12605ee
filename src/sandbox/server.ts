import { randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { TieoutError, usageError } from "../core/errors.ts";
import { plainAccount } from "./accounts/account.ts";
import { createKeyRing } from "./accounts/key-ring.ts";
import { createPace } from "./accounts/pace.ts";
import { createSandboxApp } from "./app.ts";
import { openJournal } from "./checkout/journal.ts";
import type { SandboxDeps, SandboxEnv } from "./context.ts";
import { controlRoutes } from "./control/routes.ts";
import { parseAddressCountries } from "./country-of-address.ts";
import { openBooks, type Books } from "./ledger/books.ts";
import { ledgerRoutes } from "./ledger/routes.ts";
import { sandboxDefaults, type SandboxOptions } from "./options.ts";
import { refusalBody } from "./refusal.ts";
import { bankRoutes } from "./banks/routes.ts";
import { statementRoutes } from "./statements/routes.ts";
import type { Switches } from "./switches.ts";
import { type Answers, createAnswers, type TransactionDeps } from "./transactions/answers.ts";
import { namesOf, namingOf, rename } from "./transactions/currency-names.ts";
import { plainDialect } from "./transactions/dialect.ts";
import { noFaults } from "./transactions/faults.ts";
import { createTransactionHandler } from "./transactions/request-handler.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { bodyText, type Answer } from "./trouble/tamper.ts";
import { noTrouble } from "./trouble/trouble.ts";
import { createWebhooks, type Webhooks } from "./webhooks/deliver.ts";
import { openDeliveries } from "./webhooks/deliveries-file.ts";
import { watchLiveOrders } from "./webhooks/live-orders.ts";
import { postEvent } from "./webhooks/post.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { createWorld } from "./world/create-world.ts";
import { isIsoCountry } from "./world/iso-countries.ts";
import type { World } from "./world/types.ts";

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
  const accounts = createKeyRing(options.accounts ?? [plainAccount("default", { apiKey, apiSecret })]);
  const host = options.host ?? sandboxDefaults.host;
  const warn = options.warn ?? (() => {});
  assertUsable(options);
  const journal = openJournal({ dataDir: options.dataDir, extraFields: options.extraFields, warn });
  const server = createServer();
  const deps: SandboxDeps = {
    world: createWorld(options.seed ?? sandboxDefaults.seed),
    accounts,
    pace: createPace(),
    journal,
    countries: options.countries ?? parseAddressCountries(""),
    switches: {
      dialect: options.dialect ?? plainDialect,
      faults: options.faults ?? noFaults,
      trouble: options.trouble ?? noTrouble,
    },
    settings: readSettings(options),
    now: options.now,
    randomBytes: options.randomBytes ?? randomBytes,
    origin: () => options.publicUrl ?? addressOf(server, host),
    warn,
  };
  const transactions: TransactionDeps & { world: World } = {
    ...deps,
    seed: deps.world.seed,
    books: openBooksOf(deps, options),
  };
  const answers = observed(createAnswers(transactions), options.onAnswer);
  const webhooks = startWebhooks(deps, transactions.books, options.dataDir);
  const hasControl = options.control ?? false;
  const addMore = (all: OpenAPIHono<SandboxEnv>) => {
    all.route("/", transactionRoutes(answers));
    all.route("/", ledgerRoutes(transactions));
    all.route("/", statementRoutes(transactions));
    all.route("/", bankRoutes(transactions));
    all.route("/", webhookRoutes({ accounts, webhooks }));
    if (hasControl) all.route("/", controlRoutes(deps));
  };
  const app = createSandboxApp(deps, { hasControl, addMore });
  server.on("request", answerFirst(createTransactionHandler(answers), getRequestListener(app.fetch), warn));
  const close = async () => {
    await webhooks.stop();
    if (server.listening) await stop(server);
    journal.close();
  };
  try {
    await listen(server, host, options.port);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: deps.origin(),
    legacyUrl: `${deps.origin()}/legacy`,
    apiKey: accounts.first.apiKey,
    apiSecret: accounts.first.apiSecret,
    port: (server.address() as AddressInfo).port,
    switches: deps.switches,
    close,
  };
}

function readSettings(options: SandboxOptions): SandboxDeps["settings"] {
  return {
    defaultCountry: (options.defaultCountry ?? sandboxDefaults.defaultCountry).toUpperCase(),
    trustForwardedFor: options.trustForwardedFor ?? false,
    countryHeader: options.countryHeader?.toLowerCase() ?? null,
    timeScale: options.timeScale ?? sandboxDefaults.timeScale,
    sessionSeconds: options.sessionSeconds ?? sandboxDefaults.sessionSeconds,
    quoteErrors: options.quoteErrors ?? false,
  };
}

function assertUsable({ timeScale = 1, sessionSeconds = 1, defaultCountry = "US" }: SandboxOptions): void {
  if (!(timeScale > 0)) throw usageError(`timeScale: expected more than 0, found ${timeScale}`);
  if (!(sessionSeconds > 0))
    throw usageError(`sessionSeconds: expected more than 0, found ${sessionSeconds}`);
  if (!isIsoCountry(defaultCountry.toUpperCase())) {
    throw usageError(`defaultCountry: expected a two-letter code such as US, found "${defaultCountry}"`);
  }
}

function openBooksOf({ world, accounts, journal, now }: SandboxDeps, options: SandboxOptions): Books {
  // Whole days, so that a sandbox started again on the same day has the same history.
  const toMs = options.toMs ?? Math.floor(now() / dayMs) * dayMs;
  return openBooks({
    world,
    accounts,
    journal,
    transactions: options.transactions ?? sandboxDefaults.transactions,
    fromMs: options.fromMs ?? toMs - historyDays * dayMs,
    toMs,
    live: options.live ?? false,
    clusterMs: options.clusterMs ?? 1,
  });
}

/** Looks for events that are due a few times a second, when there is anyone to tell. */
function startWebhooks(
  deps: SandboxDeps,
  books: Books,
  dataDir: string | undefined,
): Webhooks & { stop(): Promise<void> } {
  const { world, switches, settings } = deps;
  const naming = () => namingOf(switches.dialect);
  const stopping = new AbortController();
  const webhooks = createWebhooks({
    ...deps,
    seed: world.seed,
    live: watchLiveOrders({ books, naming }, deps.now()),
    deliveries: openDeliveries(dataDir),
    timeScale: settings.timeScale,
    present: (record) => rename(record, namesOf(world, naming())),
    send: (url, headers, body) => postEvent(url, headers, body, stopping.signal),
  });
  const isWanted = deps.accounts.accounts.some(({ webhook }) => webhook !== null);
  const rounds = new Set<Promise<void>>();
  const begin = () => {
    const round = webhooks.deliverDue().finally(() => rounds.delete(round));
    rounds.add(round);
  };
  const timer = isWanted ? setInterval(begin, webhookTickMs) : undefined;
  return {
    ...webhooks,
    // What is on its way is answered and noted before the data folder may go; a receiver that hangs is not waited for.
    stop: async () => {
      clearInterval(timer);
      const giveUp = setTimeout(() => stopping.abort(), stopMsMax);
      await Promise.all(rounds);
      clearTimeout(giveUp);
    },
  };
}

const webhookTickMs = 100;
const stopMsMax = 1_000;

function observed(answers: Answers, onAnswer: SandboxOptions["onAnswer"]): Answers {
  if (!onAnswer) return answers;
  const tell = (request: { query: string; transactionId?: string }, answer: Answer) => {
    onAnswer(request, { ...answer, body: bodyText(answer) });
    return answer;
  };
  return {
    list: (request) => tell({ query: request.query }, answers.list(request)),
    single: (request, transactionId) =>
      tell({ query: request.query, transactionId }, answers.single(request, transactionId)),
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
        JSON.stringify(
          refusalBody(
            { type: "INTERNAL", message: "The sandbox failed to answer; its log says why." },
            "typed",
          ),
        ),
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
