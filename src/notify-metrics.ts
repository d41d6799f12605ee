import { Gauge, Histogram, type Registry } from "prom-client";

/** Metrics about notifications. */
export interface NotifyFigures {
  /** Deliveries that wait; not counted beyond some thousands. */
  pending: number;
  oldestSeconds: number;
  disabled: number;
  alerts: { kind: string; open: number }[];
}

export function addWebhookFigures(registry: Registry) {
  const attempts = new Histogram({
    name: "tieout_webhook_attempt_duration_seconds",
    help: "Time until a webhook receiver took an event, or did not. Failed ones say why at /v1/webhooks/{id}/deliveries.",
    labelNames: ["result"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return {
    observeWebhook: ({ result, seconds }: { result: "delivered" | "failed"; seconds: number }) =>
      attempts.observe({ result }, seconds),
  };
}

/** Events that wait to be sent, and open alerts, in one query. */
export function addNotifyGauges(
  registry: Registry,
  read: () => Promise<NotifyFigures | null>,
): () => Promise<void> {
  const registers = [registry];
  const pending = new Gauge({
    registers,
    name: "tieout_webhook_deliveries_pending",
    help: "Events that wait to be delivered, 10000 at most. When it grows, look at the receivers on /settings/webhooks.",
  });
  const oldest = new Gauge({
    registers,
    name: "tieout_webhook_oldest_pending_seconds",
    help: "Age of the oldest event that waits. Above some minutes a receiver fails: see its last error.",
  });
  const disabled = new Gauge({
    registers,
    name: "tieout_webhook_endpoints_disabled",
    help: "Endpoints that are sent nothing. Mend the receiver, enable it and replay what it missed.",
  });
  const alerts = new Gauge({
    registers,
    name: "tieout_alerts_open",
    help: "Alerts that are true now, by kind. See /settings/alerts.",
    labelNames: ["kind"],
  });
  return async () => {
    const figures = await read();
    alerts.reset();
    // Without an answer the figures are left out: a zero would be a lie.
    for (const each of [pending, oldest, disabled]) each.remove();
    if (figures === null) return;
    pending.set(figures.pending);
    oldest.set(figures.oldestSeconds);
    disabled.set(figures.disabled);
    for (const { kind, open } of figures.alerts) alerts.set({ kind }, open);
  };
}
