import { addNotifyGauges, addWebhookFigures, type NotifyFigures } from "./notify-metrics.ts";
import { Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from "prom-client";

/**
 * The figures that `/metrics` shows. Labels come from closed sets; an id is a field of a log line. Each help text says
 * what to do when the figure moves.
 */
export interface Metrics {
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  /** A page of the aggregator was kept. */
  countPage(page: CountedPage): void;
  /** The aggregator answered, or failed to: `status` is its HTTP status, or our word for what happened instead. */
  observeUpstream(labels: { endpoint: string; status: string }, seconds: number): void;
  countRateLimited(account: string): void;
  /** An attempt to deliver an event to a webhook endpoint has ended. */
  observeWebhook(attempt: { result: "delivered" | "failed"; seconds: number }): void;
  render(): Promise<{ contentType: string; body: string }>;
}

interface CountedPage {
  account: string;
  added: number;
  seen: number;
  quarantined: number;
  /** How old each record was when first read; none for a backfill, whose records are old by nature. */
  latenessSeconds: readonly number[];
  /** Fields with an unknown word, one entry per occurrence. */
  unknownFields: readonly string[];
}

export interface MetricSources {
  version: string;
  /** Jobs by state and lane, asked when someone looks. */
  countJobs(): Promise<{ queue: string; state: string; jobs: number }[]>;
  heartbeatAgeSeconds(): Promise<number | null>;
  /** This machine's clock minus the database's. */
  clockOffsetMs(): Promise<number>;
  accountFigures(): Promise<AccountFigures[]>;
  countRunningExports(): Promise<number>;
  lastSuccesses(): Promise<{ job: string; atSeconds: number }[]>;
  /** As the last runs have left them. */
  reconcileFigures(): Promise<ReconcileFigures>;
  notifyFigures(): Promise<NotifyFigures>;
}

interface AccountFigures {
  account: string;
  lagSeconds: number | null;
  planned: number;
  walking: number;
  failed: number;
  clockAheadSeconds: number | null;
}

interface ReconcileFigures {
  providers: { provider: string; completed: number; matched: number }[];
  open: { provider: string; code: string; discrepancies: number }[];
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  addServiceGauges(registry, sources);
  addReconcileGauges(registry, sources);
  const showNotify = addNotifyGauges(registry, () => orNothing(sources.notifyFigures(), null));
  const showAccounts = addAccountGauges(registry, sources);
  return {
    ...addHttpFigures(registry),
    ...addSyncCounters(registry),
    ...addWebhookFigures(registry),
    render: async () => {
      await Promise.all([showAccounts(), showNotify()]);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function addHttpFigures(registry: Registry): Pick<Metrics, "observeRequest" | "observeUpstream"> {
  const requests = new Histogram({
    name: "tieout_http_request_duration_seconds",
    help: "Time to answer a request. When it rises, look at the route first and then at the database.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const upstream = new Histogram({
    name: "tieout_upstream_request_duration_seconds",
    help: "Time until the aggregator answered, or did not. When it rises, fewer requests are sent at once by themselves.",
    labelNames: ["endpoint", "status"],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers: [registry],
  });
  return {
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    observeUpstream: (labels, seconds) => upstream.observe(labels, seconds),
  };
}

function addSyncCounters(registry: Registry): Pick<Metrics, "countPage" | "countRateLimited"> {
  const registers = [registry];
  const pages = new Counter({
    name: "tieout_pages_recorded_total",
    help: "Pages of the aggregator kept by this process. Standing still for two intervals: look at tieout_sync_windows.",
    labelNames: ["account"],
    registers,
  });
  const rows = new Counter({
    name: "tieout_status_rows_total",
    help: "Records by what became of them: new, seen before, or quarantined. Quarantined ones ask for a look at /v1/quarantine.",
    labelNames: ["account", "result"],
    registers,
  });
  const lateness = new Histogram({
    name: "tieout_record_lateness_seconds",
    help: "From a record's status date to our first reading of it, backfill left out. Beyond SYNC_LOOKBACK only deep re-reads find it: raise it.",
    buckets: [30, 60, 120, 300, 900, 3_600, 21_600, 86_400, 604_800, 3_024_000, 7_776_000],
    registers,
  });
  const limited = new Counter({
    name: "tieout_upstream_rate_limited_total",
    help: "Requests that the aggregator refused with 429. A steady rate asks for a lower SYNC_CONCURRENCY.",
    labelNames: ["account"],
    registers,
  });
  const unknown = new Counter({
    name: "tieout_unknown_values_total",
    help: "New records with a word that is not known. They are kept and treated as open: see what the aggregator has changed.",
    labelNames: ["field"],
    registers,
  });
  return {
    countPage: (page) => {
      const { account } = page;
      pages.inc({ account });
      rows.inc({ account, result: "new" }, page.added);
      rows.inc({ account, result: "seen" }, page.seen);
      rows.inc({ account, result: "quarantined" }, page.quarantined);
      for (const seconds of page.latenessSeconds) lateness.observe(seconds);
      for (const field of page.unknownFields) unknown.inc({ field });
    },
    countRateLimited: (account) => limited.inc({ account }),
  };
}

/** Of the service as a whole; the answers are looked up when someone asks. */
function addServiceGauges(registry: Registry, sources: MetricSources): void {
  const gauge = gaugesOf(registry);
  gauge({
    name: "tieout_build_info",
    help: "Always 1; the labels say which version runs. Compare them across processes after an upgrade.",
    labelNames: ["version", "node"],
  }).set({ version: sources.version, node: process.versions.node }, 1);

  gauge({
    name: "tieout_clock_offset_seconds",
    help: "This machine's clock minus the database's. Beyond 2 s no jobs are taken: set both clocks by NTP.",
    async collect() {
      showOne(this, await orNothing(sources.clockOffsetMs(), null), 1 / 1_000);
    },
  });

  gauge({
    name: "tieout_queue_jobs",
    help: "Jobs in the queue. A growing number of waiting ones asks for more workers; failed ones for a look at the log.",
    labelNames: ["queue", "state"],
    async collect() {
      this.reset();
      for (const { queue, state, jobs } of await orNothing(sources.countJobs(), []))
        this.set({ queue, state }, jobs);
    },
  });

  gauge({
    name: "tieout_heartbeat_age_seconds",
    help: "Seconds since a worker last ran the heartbeat job. Above 60 no worker is working: start one.",
    async collect() {
      showOne(this, await orNothing(sources.heartbeatAgeSeconds(), null));
    },
  });

  gauge({
    name: "tieout_last_success_timestamp_seconds",
    help: "When each job last came to a good end, on any worker. One that falls behind its schedule: look for job_failed in the log.",
    labelNames: ["job"],
    async collect() {
      this.reset();
      for (const { job, atSeconds } of await orNothing(sources.lastSuccesses(), []))
        this.set({ job }, atSeconds);
    },
  });

  gauge({
    name: "tieout_exports_running",
    help: "Export runs being written. At its limit for long: look at what the database does.",
    async collect() {
      showOne(this, await orNothing(sources.countRunningExports(), null));
    },
  });
}

/** Of each provider, as the last runs of the matcher have left it. */
function addReconcileGauges(registry: Registry, sources: MetricSources): void {
  const gauge = gaugesOf(registry);
  const figures = () => orNothing(sources.reconcileFigures(), { providers: [], open: [] });
  gauge({
    name: "tieout_match_ratio",
    help: "Matched share of the transactions completed in the last 90 days. When it falls, a statement is missing or was withdrawn: see tieout statement list.",
    labelNames: ["provider"],
    async collect() {
      this.reset();
      for (const { provider, completed, matched } of (await figures()).providers)
        this.set({ provider }, completed === 0 ? 0 : matched / completed);
    },
  });

  gauge({
    name: "tieout_discrepancies_open",
    help: "Discrepancies that nobody has closed. A jump of one code after an import asks for a look at that statement.",
    labelNames: ["provider", "code"],
    async collect() {
      this.reset();
      for (const { provider, code, discrepancies } of (await figures()).open)
        this.set({ provider, code }, discrepancies);
    },
  });
}

/** Of each account. One question answers all of them, so it is asked before they are shown and not by each. */
function addAccountGauges(registry: Registry, sources: MetricSources): () => Promise<void> {
  const gauge = gaugesOf(registry);
  const lag = gauge({
    name: "tieout_sync_lag_seconds",
    help: "Age of the data: everything older has been read. Above some intervals: look at tieout_sync_windows and /v1/sync.",
    labelNames: ["account"],
  });
  const windows = gauge({
    name: "tieout_sync_windows",
    help: "Windows that are not read to their end, by state. Failed ones say why at /v1/sync/windows?state=failed.",
    labelNames: ["account", "state"],
  });
  const clock = gauge({
    name: "tieout_upstream_clock_offset_seconds",
    help: "The aggregator's clock minus the database's. Beyond 5 s one of them is wrong: set it by NTP.",
    labelNames: ["account"],
  });
  return async () => {
    const accounts = await orNothing(sources.accountFigures(), []);
    for (const each of [lag, windows, clock]) each.reset();
    for (const { account, lagSeconds, clockAheadSeconds, ...states } of accounts) {
      for (const [state, count] of Object.entries(states)) windows.set({ account, state }, count);
      if (lagSeconds !== null) lag.set({ account }, lagSeconds);
      if (clockAheadSeconds !== null) clock.set({ account }, clockAheadSeconds);
    }
  };
}

function gaugesOf(registry: Registry) {
  return (options: Omit<GaugeConfiguration<string>, "registers">) =>
    new Gauge({ ...options, registers: [registry] });
}

function showOne(gauge: Gauge, value: number | null, factor = 1): void {
  // Without a value the figure is left out: a zero would be a lie.
  if (value === null) gauge.remove();
  else gauge.set(value * factor);
}

/** A figure that cannot be had now is left out: the others must still be there, now more than ever. */
function orNothing<T>(value: Promise<T>, nothing: T): Promise<T> {
  return value.catch(() => nothing);
}
