import { and, count, eq, getTableColumns, gt, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { accountName } from "../accounts/accounts.ts";
import { type AccountReader, anyOf, conditionsFor, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { payouts } from "../schema/reconciliation.ts";
import { type Paging, pagingBy, selectPage } from "../select-page.ts";

/** With what has arrived of it, as it is now. */
export type PayoutRow = typeof payouts.$inferSelect & {
  account: string;
  arrived: Arrived;
  conversion: PayoutConversion | null;
};

/** Of a payout in another currency than its lines. */
export interface PayoutConversion {
  /** As the line states it. */
  readonly rate: string;
  readonly lineId: string;
  readonly statementId: string;
  readonly fileName: string;
  readonly lineNo: number;
  /** What was converted, by currency, and what the rate makes of it. */
  readonly originals: readonly { currency: string; amount: string; converted: string }[];
}

export interface Arrived {
  readonly received: string;
  readonly bankFee: string;
  readonly receivedAt: string | null;
  readonly receivedReference: string | null;
  readonly state: (typeof payoutStates)[number];
}

/** Whether it has arrived. */
export const payoutStates = [
  "expected",
  "declared",
  "received",
  "short",
  "over",
  "overdue",
  "payable",
  "paid",
  "withdrawn",
] as const;

// The table is named: drizzle writes a column of a query's only table bare, and here that would be a column of `self`.
const receivedOfPayout = sql`
    from tieout.payouts as self
    cross join lateral tieout.payout_received(self, statement_timestamp(), 'infinity') as r
    where self.id = ${payouts}.id`;

const columns = {
  ...getTableColumns(payouts),
  account: accountName(payouts.accountId),
  arrived: sql<Arrived>`(
    select jsonb_build_object('received', r.received::text, 'bankFee', r.bank_fee::text, 'receivedAt', r.received_at::text,
             'receivedReference', r.received_reference, 'state', r.state)${receivedOfPayout}
  )`,
  conversion: sql<PayoutConversion | null>`(
    select jsonb_build_object('rate', c.rate::text, 'lineId', c.line_id::text, 'statementId', c.statement_id::text,
             'fileName', c.file_name, 'lineNo', c.line_no, 'originals', c.originals)
    from tieout.payouts as self
    cross join lateral tieout.payout_conversion(self, 'infinity') as c
    where self.id = ${payouts}.id
  )`,
};

export const payoutPaging = pagingBy(payouts, "descending", "id");

const day = sql`coalesce(${payouts.payoutDate}, ${payouts.firstSeenAt})`;
const apart = sql`coalesce(abs(${payouts.difference}), 0)`;
const idKey = { expression: payouts.id, kind: "integer" } as const;

function byDay(descending: boolean): Paging<PayoutRow> {
  return {
    keyset: { keys: [{ expression: day, kind: "time" }, idKey], descending },
    positionOf: (row) => [row.payoutDate ?? row.firstSeenAt, String(row.id)],
  };
}

/** For people: by day, or by how far a payout is from its lines. Undated ones stand where they were first seen. */
export const payoutSorts = {
  "-id": payoutPaging as Paging<PayoutRow>,
  "-date": byDay(true),
  date: byDay(false),
  "-difference": {
    keyset: { keys: [{ expression: apart, kind: "decimal" }, idKey], descending: true },
    positionOf: (row) => [(row.difference ?? "0").replace("-", ""), String(row.id)],
  },
} satisfies Record<string, Paging<PayoutRow>>;

export type PayoutSort = keyof typeof payoutSorts;

export interface PayoutTotal {
  currency: string;
  payouts: number;
  computed: string;
  declared: string;
  /** Declared, and dated ahead. */
  expected: string;
  difference: string;
}

type PayoutFilters = Filters<"account" | "provider" | "status" | "state">;

/** What the payouts of a filter come to, currency by currency. */
export async function totalPayouts(reader: AccountReader, filters: PayoutFilters): Promise<PayoutTotal[]> {
  const { currency, netComputed, netDeclared, difference, payoutDate } = payouts;
  const sumOf = (amount: SQL | PgColumn) => sql<string>`trim_scale(coalesce(sum(${amount}), 0))::text`;
  return reader.database.orm
    .select({
      currency,
      payouts: count(),
      computed: sumOf(netComputed),
      declared: sumOf(netDeclared),
      expected: sumOf(sql`case when ${payoutDate} > clock_timestamp() then ${netDeclared} end`),
      difference: sumOf(difference),
    })
    .from(payouts)
    .where(and(...conditionsOf(reader, filters)))
    .groupBy(currency)
    .orderBy(currency)
    .limit(1_000);
}

/** Without payouts whose files were all withdrawn: they are not owed. */
function conditionsOf(reader: AccountReader, filters: PayoutFilters) {
  return [
    or(gt(payouts.lineCount, 0), isNotNull(payouts.netDeclared)),
    seenBy(reader, payouts.accountId),
    ofAccounts(payouts.accountId, filters.account),
    anyOf(payouts.provider, filters.provider),
    anyOf(payouts.status, filters.status),
    filters.state && inArray(sql`(select r.state${receivedOfPayout})`, [...filters.state]),
  ];
}

export async function listPayouts(
  reader: AccountReader,
  filters: PayoutFilters,
  page: PageWanted,
  sort: PayoutSort = "-id",
): Promise<Page<PayoutRow>> {
  const select = reader.database.orm.select(columns).from(payouts).$dynamic();
  return selectPage(select, payoutSorts[sort], page, conditionsOf(reader, filters));
}

export async function readPayout(reader: AccountReader, id: number): Promise<PayoutRow | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(payouts)
    .where(and(seenBy(reader, payouts.accountId), eq(payouts.id, id)));
  return row ?? null;
}

export interface PayoutLine {
  id: string;
  line_no: number;
  statement_id: string;
  file_name: string;
  line_type: string;
  status: string;
  effective_at: string;
  provider_transaction_id: string | null;
  fiat_currency: string | null;
  fiat_gross: string | null;
  fee_total: string | null;
  fee_currency: string | null;
  net_amount: string;
  net_currency: string | null;
  /** The transaction that it settles or relates to. */
  /** One, none, or those that a person split it over. */
  transaction_ids: string[];
}

const inOrder: Keyset = { keys: [{ expression: "l.id", kind: "integer" }], descending: false };

export const payoutLinePaging = { keyset: inOrder, positionOf: (row: PayoutLine) => [row.id] };

/** Which lines a step of the payout is added up from, as far as a line says so by itself. */
const linesOfStep = {
  gross: "l.line_type = 'charge'",
  fees: "(l.line_type = 'fee' or l.line_type = 'charge' and l.fee_total <> 0)",
  refunds: "l.line_type = 'refund'",
  chargebacks: "l.line_type = 'chargeback'",
  chargebackReversals: "l.line_type = 'chargeback_reversal'",
  commissions: "l.line_type in ('commission', 'charge')",
  adjustments: "l.line_type = 'adjustment'",
  reserves: "l.line_type = 'reserve'",
  declared: "l.line_type = 'payout'",
} as const;

export type PayoutStep = keyof typeof linesOfStep;

export function payoutStepNamed(name: string | null): PayoutStep | null {
  return name !== null && Object.hasOwn(linesOfStep, name) ? (name as PayoutStep) : null;
}

/** The lines that count and make up the payout, as runs group them; the reader has been found to see it. */
export async function listPayoutLines(
  reader: AccountReader,
  payout: PayoutRow,
  page: PageWanted,
  step: PayoutStep | null = null,
): Promise<Page<PayoutLine>> {
  const conditions = conditionsFor(reader, "l.account_id");
  const accounts = `array[${conditions.bind(payout.accountId)}::int]`;
  const ref = conditions.bind(payout.payoutRef);
  const currency = conditions.bind(payout.currency);
  conditions.add(`l.provider = ${conditions.bind(payout.provider)}`);
  conditions.add(`l.line_type not in ('balance', 'commission_total')
  and (
    l.payout_ref = ${ref}
    or l.payout_ref is null and l.line_type = 'payout' and l.provider_transaction_id = ${ref}
    or l.payout_ref is null and l.line_type <> 'payout' and l.net_amount <> 0 and file.payout_ref = ${ref}
  )`);
  if (step !== null) conditions.add(linesOfStep[step]);
  // A line in another currency belongs to this payout when there is none in its own.
  conditions.add(`(coalesce(l.net_currency, l.fiat_currency) = ${currency} or not exists (
    select
    from tieout.payouts as own
    where own.account_id = l.account_id
      and own.provider = l.provider
      and own.payout_ref = ${ref}
      and own.currency = coalesce(l.net_currency, l.fiat_currency)
  ))`);
  return readPage<PayoutLine>(reader.database, {
    select: `l.id::text, l.line_no, l.statement_id::text, s.file_name, l.line_type, l.status, l.effective_at::text,
      l.provider_transaction_id, l.fiat_currency, trim_scale(l.fiat_gross) as fiat_gross, trim_scale(l.fee_total) as fee_total,
      l.fee_currency, trim_scale(l.net_amount) as net_amount,
      l.net_currency,
      array(
        select m.transaction_id from tieout.matches as m where m.line_id = l.id and m.state = 'active' order by m.part_no
      ) as transaction_ids`,
    from: `tieout.lines_at(${accounts}, 'infinity') as l
      join tieout.statements as s on s.id = l.statement_id
      left join tieout.file_payouts(${accounts}, 'infinity') as file
        on file.statement_id = l.statement_id
       and file.currency = coalesce(l.net_currency, l.fiat_currency)`,
    conditions,
    keyset: inOrder,
    page,
  });
}
