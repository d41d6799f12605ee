import { Gauge, type GaugeConfiguration, Histogram, Registry } from "prom-client";

/**
 * The figures that `/metrics` shows. Labels come from closed sets; an id is a field of a log line. Each help text says
 * what to do when the figure moves.
 */
export interface Metrics {
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  setClockOffsetMs: (offsetMs: number) => void;
  render(): Promise<{ contentType: string; body: string }>;
}

export interface MetricSources {
  version: string;
  /** Jobs by state and lane, asked when somebody looks. */
  countJobs(): Promise<{ queue: string; state: string; jobs: number }[]>;
  heartbeatAgeSeconds(): Promise<number | null>;
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (options: Omit<GaugeConfiguration<string>, "registers">) =>
    new Gauge({ ...options, registers });

  gauge({
    name: "tieout_build_info",
    help: "Always 1; the labels say which version runs. Compare them across processes after an upgrade.",
    labelNames: ["version", "node"],
  }).set({ version: sources.version, node: process.versions.node }, 1);

  const requests = new Histogram({
    name: "tieout_http_request_duration_seconds",
    help: "Time to answer a request. When it rises, look at the route first and then at the database.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });

  const clockOffset = gauge({
    name: "tieout_clock_offset_seconds",
    help: "This machine's clock minus the database's. Beyond 2 s no jobs are taken: set both clocks by NTP.",
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
      const age = await orNothing(sources.heartbeatAgeSeconds(), null);
      if (age === null) this.reset();
      else this.set(age);
    },
  });

  return {
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    setClockOffsetMs: (offsetMs) => clockOffset.set(offsetMs / 1_000),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** A figure that cannot be had now is left out: the others must still be there, now more than ever. */
function orNothing<T>(value: Promise<T>, nothing: T): Promise<T> {
  return value.catch(() => nothing);
}
