import type { DeliveryRow } from "../../store/notify/deliveries.ts";
import type { Endpoint } from "../../store/notify/endpoints.ts";
import { isoTime, jsonWith } from "../present.ts";

export function presentWebhook(row: Endpoint) {
  return {
    object: "webhook",
    id: `wh_${row.id}`,
    url: row.url,
    description: row.description,
    events: row.events,
    accounts: row.accounts,
    state: row.state,
    disabled_reason: row.disabledReason,
    disabled_at: isoTime(row.disabledAt),
    pending: row.pending,
    failures: row.failures,
    failing_since: isoTime(row.failingSince),
    last_success_at: isoTime(row.lastSuccessAt),
    last_error: row.lastError,
    previous_secret_until: isoTime(row.previousUntil),
    created_at: isoTime(row.createdAt),
    created_by: row.createdBy,
    version: row.version,
  };
}

/** As JSON text: the data of an event is text already. */
export function presentDelivery(row: DeliveryRow): string {
  return jsonWith(
    {
      object: "webhook_delivery",
      event: `evt_${row.eventId}`,
      type: row.type,
      at: isoTime(row.at),
      state: row.state,
      attempts: row.attempts,
      next_attempt_at: row.state === "pending" ? isoTime(row.nextAt) : null,
      status: row.status,
      error: row.error,
      settled_at: isoTime(row.settledAt),
    },
    { data: row.data },
  );
}
