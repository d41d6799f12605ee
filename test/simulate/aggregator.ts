import { MINUTE, SECOND } from "../../src/core/duration.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { UpstreamError, type UpstreamErrorCode } from "../../src/upstream/errors.ts";
import type { CallOptions } from "../../src/upstream/http.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";
import { withRetries } from "../../src/upstream/retry.ts";
import { createServerClock } from "../../src/upstream/server-clock.ts";
import type { PageQuery, TransactionPage } from "../../src/upstream/transactions.ts";
import type { Chance } from "./chance.ts";
import type { Row } from "./history.ts";
import { createLister, type ListedPage, visibleRows } from "./listing.ts";
import type { SimulatedProcess, Simulation } from "./simulation.ts";
import { type AccountWorld, type Faults, noFaults } from "./world.ts";

/** What was asked and answered, and when: the evidence of a world. */
export interface Exchange {
  readonly atMs: number;
  readonly process: string;
  readonly query: PageQuery;
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
  /** What went wrong instead of an answer. */
  readonly error: UpstreamErrorCode | null;
}

/** One account's aggregator, as an object: no sockets, and time is the simulation's. */
export interface Aggregator {
  readonly exchanges: readonly Exchange[];
  /** From now on it has no faults. How it speaks stays. */
  recover(): void;
  upstreamFor(process: SimulatedProcess, worker: WorkerSide): SyncAccount["upstream"];
}

export interface WorkerSide {
  readonly random: () => number;
  /** The worker's own clock. */
  readonly now: () => number;
}

type Answer = ListedPage | UpstreamError;

/** A cursor that is refused, a window that is too long, … : the codes that the client makes of them. */
const endpoint = "GET /transactions";

export function createAggregator(
  world: AccountWorld,
  { simulation, chance }: { simulation: Simulation; chance: Chance },
): Aggregator {
  const { dialect, rows } = world;
  const lister = createLister(rows, dialect);
  const exchanges: Exchange[] = [];
  const given = new Map<string, { cursor: string; atMs: number }[]>();
  let faults: Faults = world.faults;

  function answer(query: PageQuery): Answer {
    const { nowMs } = simulation;
    const { refused } = faults;
    if (refused && nowMs >= refused.fromMs && nowMs < refused.toMs)
      return failure("unauthorized", "answered 401");
    const trouble = troubleOf(faults, chance);
    if (trouble) return trouble;
    const { rangeMaxMs, cursorLifeMs } = dialect;
    if (
      rangeMaxMs !== null &&
      query.from &&
      query.to &&
      Date.parse(query.to) - Date.parse(query.from) > rangeMaxMs
    )
      return failure("bad_request", "answered 400");
    const listing = JSON.stringify([query.from, query.to, query.ids]);
    const earlier = given.get(listing) ?? [];
    if (typeof query.cursor === "string") {
      const bornMs = earlier.findLast(({ cursor }) => cursor === query.cursor)?.atMs ?? nowMs;
      const isOld = cursorLifeMs !== null && nowMs - bornMs > cursorLifeMs;
      if (isOld || chance.happens(faults.cursorRejected)) return failure("cursor_rejected", "answered 410");
    }
    if (typeof query.cursor === "string" && chance.happens(faults.emptyPages))
      return { rows: [], nextCursor: `${query.cursor}^` };
    const page = spoil(lister.list(query, nowMs, sizeOf), query, earlier);
    if (!page) return failure("cursor_rejected", "answered 404");
    if (page.nextCursor !== null) given.set(listing, [...earlier, { cursor: page.nextCursor, atMs: nowMs }]);
    return page;
  }

  const sizeOf = (most: number) => (dialect.pages === "short" ? chance.whole(1, most) : most);

  function spoil(
    page: ListedPage | null,
    { cursor }: PageQuery,
    earlier: readonly { cursor: string }[],
  ): ListedPage | null {
    if (!page) return null;
    const [first] = page.rows;
    const doubled = first && chance.happens(faults.duplicates) ? [...page.rows, first] : page.rows;
    // An empty page with the very cursor it was asked with is an end, and no loop.
    const back = first ? earlier : earlier.filter((one) => one.cursor !== cursor);
    const isLoop = page.nextCursor !== null && back.length > 0 && chance.happens(faults.cursorLoop);
    return { rows: doubled, nextCursor: isLoop ? chance.pick(back).cursor : page.nextCursor };
  }

  /** The request travels, is answered as things are on its arrival, and the answer travels back. */
  async function exchange(
    process: SimulatedProcess,
    { query, call, clock, worker }: Asked,
  ): Promise<ListedPage> {
    const signal = call?.signal;
    const calledOff = () => failure("aborted", "given up by the caller");
    const sentAtMs = worker.now();
    const isSlow = chance.happens(faults.slow);
    const travel = (label: string, afterMs: number) => ({ process, label, afterMs, signal, calledOff });
    const answered = await simulation.happen({
      ...travel(`asks ${tellQuery(query)}`, chance.whole(0, faults.answerMaxMs)),
      outlivesSender: true,
      act: () => {
        const result = answer(query);
        const isPage = !(result instanceof UpstreamError);
        exchanges.push({
          atMs: simulation.nowMs,
          process: process.name,
          query,
          rows: isPage ? result.rows : [],
          nextCursor: isPage ? result.nextCursor : null,
          error: isPage ? null : result.code,
        });
        return { result, dateMs: Math.floor((simulation.nowMs + world.aheadMs) / SECOND) * SECOND };
      },
    });
    const { result, dateMs } = answered;
    const isSilent =
      result instanceof UpstreamError && (result.code === "timeout" || result.code === "connection_lost");
    const backMs =
      isSilent && result.code === "timeout" ? 15 * SECOND : isSlow ? chance.whole(1, 14) * SECOND : 0;
    await simulation.happen({
      ...travel(`hears ${tellAnswer(result)}`, backMs + chance.whole(0, faults.answerMaxMs)),
      act: () => undefined,
    });
    if (!isSilent)
      clock.note({ endpoint, outcome: "200", sentAtMs, endedAtMs: worker.now(), serverDateMs: dateMs });
    if (result instanceof UpstreamError) throw result;
    return result;
  }

  return {
    exchanges,
    recover: () => void (faults = noFaults),
    upstreamFor(process, worker) {
      const clock = createServerClock(worker.now);
      const sleep = (ms: number, signal?: AbortSignal) => simulation.sleep(process, ms, signal);
      const ask = (query: PageQuery, call?: CallOptions) =>
        withRetries(
          { random: worker.random, sleep },
          { attemptsMax: call?.attemptsMax ?? 4, signal: call?.signal },
          () => exchange(process, { query, call, clock, worker }),
        );
      return {
        serverNow: () => clock.read(),
        async fetchPage(query = {}, call): Promise<TransactionPage> {
          const page = await ask(query, call);
          return {
            rawRecords: page.rows.map(({ raw }) => raw),
            nextCursor: page.nextCursor,
            echoedLimit: query.limit ?? null,
            serverDateMs: null,
          };
        },
        async fetchTransaction(transactionId, call) {
          await ask({ ids: [transactionId], limit: 1 }, call);
          const visible = visibleRows(rows, { rows: "latest" }, simulation.nowMs);
          const row = visible.find((one) => one.transactionId === transactionId);
          if (!row) throw failure("not_found", "answered 404");
          exchanges.push({
            atMs: simulation.nowMs,
            process: process.name,
            query: { ids: [transactionId] },
            rows: [row],
            nextCursor: null,
            error: null,
          });
          return normaliseRecord(row.raw);
        },
      };
    },
  };
}

interface Asked {
  readonly query: PageQuery;
  readonly call: CallOptions | undefined;
  readonly clock: ReturnType<typeof createServerClock>;
  readonly worker: WorkerSide;
}

function troubleOf(faults: Faults, chance: Chance): UpstreamError | null {
  if (chance.happens(faults.rateLimited)) {
    const retryAfterMs = chance.pick([null, SECOND, 20 * SECOND, MINUTE]);
    return failure("rate_limited", "answered 429", { retryAfterMs });
  }
  if (chance.happens(faults.serverError)) return failure("server_error", "answered 503");
  if (chance.happens(faults.timeout)) return failure("timeout", "no answer in time");
  if (chance.happens(faults.garbage))
    return failure("body_not_json", "answered 200 with a body that is not JSON");
  if (chance.happens(faults.connectionLost)) return failure("connection_lost", "the connection was lost");
  return null;
}

const permanent: ReadonlySet<UpstreamErrorCode> = new Set([
  "unauthorized",
  "bad_request",
  "cursor_rejected",
  "not_found",
  "aborted",
]);

function failure(
  code: UpstreamErrorCode,
  message: string,
  details: { retryAfterMs?: number | null } = {},
): UpstreamError {
  return new UpstreamError(code, message, { endpoint, retry: !permanent.has(code), ...details });
}

export function tellQuery({ from, to, ids, cursor }: PageQuery): string {
  const what = ids ? `ids ${ids.join(" ")}` : `${from?.slice(5, -1)} to ${to?.slice(5, -1)}`;
  return typeof cursor === "string" ? `${what} after ${cursor}` : what;
}

function tellAnswer(answer: Answer): string {
  if (answer instanceof UpstreamError) return answer.code;
  return `rows ${answer.rows.map(({ number }) => number).join(" ")}; next ${answer.nextCursor ?? "none"}`;
}
