/** The events that webhook endpoints can get, and when they are sent. `docs/webhooks.md` shows what each carries. */
export const eventTypes = {
  "transaction.changed": "A transaction is new or has another latest status; not while history is read in.",
  "discrepancy.raised": "A discrepancy was found, or came back.",
  "discrepancy.cleared": "A discrepancy agrees by now, was resolved or written off.",
  "discrepancy.assigned": "A discrepancy has another owner.",
  "payout.declared": "A statement says what a provider pays, or says another amount.",
  "payout.received": "The bank, or the chain, has brought all of a payout.",
  "payout.short": "Less of a payout has arrived than was declared, or what had arrived was taken back.",
  "statement.imported": "A provider's statement was imported.",
  "period.prepared": "A person has prepared a month for closing.",
  "period.lapsed": "A prepared month is open again, because something beneath it has changed.",
  "period.closed": "A second person has approved a month: its figures are fixed.",
  "period.reopened": "Two people have reopened a closed month.",
  "account.paused": "An account is not read: a person paused it, or the aggregator refuses its key.",
  "account.resumed": "An account is read again.",
  "alert.raised": "An alert rule that sends webhooks has found something.",
  "alert.cleared": "What such an alert was about is over.",
  "webhook.test": "Sent on request, to try an endpoint.",
} as const;

export type EventType = keyof typeof eventTypes;

export const eventTypeNames = Object.keys(eventTypes) as EventType[];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventTypes, text);
}
