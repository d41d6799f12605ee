import type { SandboxOptions } from "../../src/sandbox/options.ts";

/** One answer of the aggregator about transactions. */
export interface ServedPage {
  readonly at: string;
  /** As it was asked: range, cursor, ids. */
  readonly query: string;
  readonly status: number;
  /** Whole, or how it was broken on the way. */
  readonly sending: string;
  readonly cursor: string | null;
  /** Transaction, status and date of each record. */
  readonly records: readonly string[];
}

export interface ServedPages {
  readonly pages: readonly ServedPage[];
  readonly onAnswer: NonNullable<SandboxOptions["onAnswer"]>;
  about(transactionId: string): ServedPage[];
  /** Listings whose range holds this time. */
  around(instant: string): ServedPage[];
}

/** Keeps what an aggregator served and when: without it, nobody can tell later what a reader could have known. */
export function keepServedPages(): ServedPages {
  const pages: ServedPage[] = [];
  return {
    pages,
    onAnswer({ query, transactionId }, { status: code, sending, body }) {
      pages.push({
        at: new Date().toISOString(),
        query: transactionId === undefined ? query : `transaction ${transactionId}`,
        status: code,
        sending,
        cursor: /"cursor":"([^"]*)"/.exec(body)?.[1] ?? null,
        records: [...body.matchAll(recordForm)].map(([, status, date, id]) => `${id} ${status} ${date}`),
      });
    },
    about: (transactionId) =>
      pages.filter(
        ({ query, records }) =>
          query.includes(transactionId) || records.some((record) => record.startsWith(`${transactionId} `)),
      ),
    around: (instant) =>
      pages.filter(({ query }) => {
        const asked = new URLSearchParams(query);
        const from = asked.get("startDateTime");
        const to = asked.get("endDateTime");
        return (
          from !== null &&
          to !== null &&
          Date.parse(from) <= Date.parse(instant) &&
          Date.parse(instant) <= Date.parse(to)
        );
      }),
  };
}

/** In the order in which the sandbox writes them. */
const recordForm = /"status":"([^"]*)","statusDate":"([^"]*)","transactionId":"([^"]*)"/g;
