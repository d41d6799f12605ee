import type { SyncDeps } from "../sync/deps.ts";
import { createTracer, noTraces, type Tracer } from "../trace.ts";
import type { CommandContext } from "./context.ts";

export function openTracer({ config, log, now, version }: CommandContext): Tracer {
  if (config.trace === null) return noTraces;
  return createTracer(config.trace, { now, version, warn: (fields) => log.warn(fields) });
}

/** A page from its answer to its commit; several walkers' pages may be written by one statement. */
export function traceRecording(tracer: Tracer, deps: SyncDeps): SyncDeps {
  return {
    ...deps,
    recordPage: (lease, page) =>
      tracer.span("record page", { records: page.records.length }, () => deps.recordPage(lease, page)),
  };
}
