import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { SECOND } from "./core/duration.ts";
import type { TraceSettings } from "./trace-settings.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** What was done, in which order and for how long, for a collector of traces. */
export interface Tracer {
  /** Runs `work` as a span; whatever is traced inside becomes part of it. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Something that is over already, as part of the span that it happened in. */
  note(
    name: string,
    times: { begunMs: number; endedMs: number },
    attributes: Attributes,
    failed: boolean,
  ): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Without a collector no spans are made. */
export const noTraces: Tracer = {
  span: (_name, _attributes, work) => work(),
  note: () => undefined,
  close: async () => undefined,
};

interface Place {
  traceId: string;
  spanId: string;
}

const sendEveryMs = 5 * SECOND;
const sendTimeoutMs = 10 * SECOND;
const spansPerRequestMax = 512;
/** What is held while the collector does not answer; more is dropped, because a trace is never worth the memory. */
const heldMax = 4_096;

/**
 * OTLP over HTTP, in JSON: one request that every collector takes. The official exporters no longer run on Node 20, and
 * the part of them that we need is this file.
 */
export function createTracer(
  { endpoint, headers, serviceName }: TraceSettings,
  deps: { now: () => number; version: string; warn: (fields: object) => void },
): Tracer {
  const current = new AsyncLocalStorage<Place>();
  const held: object[] = [];
  let dropped = 0;
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(flush, sendEveryMs);
  timer.unref();

  function keep(
    name: string,
    place: Place & { parent: Place | undefined },
    times: { begunMs: number; endedMs: number },
    attributes: Attributes,
    failed: boolean,
  ): void {
    if (held.length >= heldMax) {
      dropped += 1;
      return;
    }
    held.push({
      traceId: place.traceId,
      spanId: place.spanId,
      ...(place.parent ? { parentSpanId: place.parent.spanId } : {}),
      name,
      kind: 1,
      startTimeUnixNano: `${Math.round(times.begunMs)}000000`,
      endTimeUnixNano: `${Math.round(times.endedMs)}000000`,
      attributes: asAttributes(attributes),
      ...(failed ? { status: { code: 2 } } : {}),
    });
    if (held.length >= spansPerRequestMax) flush();
  }

  function flush(): void {
    sending = sending.then(sendHeld);
  }

  async function sendHeld(): Promise<void> {
    const spans = held.splice(0, spansPerRequestMax);
    if (dropped > 0) deps.warn({ event: "traces_dropped", count: dropped });
    dropped = 0;
    if (spans.length === 0) return;
    try {
      const answer = await fetch(`${endpoint}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json", ...parseHeaders(headers?.reveal() ?? "") },
        body: JSON.stringify(asRequest(spans, serviceName, deps.version)),
        signal: AbortSignal.timeout(sendTimeoutMs),
      });
      await answer.arrayBuffer();
      if (!answer.ok) deps.warn({ event: "traces_not_taken", status: answer.status, count: spans.length });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      deps.warn({ event: "traces_not_taken", reason, count: spans.length });
    }
  }

  function placeInside(parent: Place | undefined) {
    return { traceId: parent?.traceId ?? newId(16), spanId: newId(8), parent };
  }

  return {
    span: async (name, attributes, work) => {
      const place = placeInside(current.getStore());
      const begunMs = deps.now();
      let failed = true;
      try {
        const result = await current.run(place, work);
        failed = false;
        return result;
      } finally {
        keep(name, place, { begunMs, endedMs: deps.now() }, attributes, failed);
      }
    },
    note: (name, times, attributes, failed) =>
      keep(name, placeInside(current.getStore()), times, attributes, failed),
    close: async () => {
      clearInterval(timer);
      flush();
      await sending;
    },
  };
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

function asRequest(spans: readonly object[], serviceName: string, version: string): object {
  const resource = { attributes: asAttributes({ "service.name": serviceName, "service.version": version }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "tieout" }, spans }] }] };
}

function asAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } }];
  });
}

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((part) => part.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
