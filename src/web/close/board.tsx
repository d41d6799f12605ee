import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, Panel, TableFrame, TitleRow } from "../parts/blocks.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { Given, GivenLink, Nothing } from "../parts/show.tsx";
import { cellOf, type Cell } from "./cell.ts";
import { keptDetail } from "./kept-detail.ts";
import { monthsShown } from "./months-shown.ts";
import { Amounts, CheckChip, periodPath, StateChip } from "./parts.tsx";

/** Open months that are looked at: they close in order, so the others wait for these anyway. */
const openMax = 3;

/** Boards on one screen: each takes the checklists of three months. Of more accounts, one is chosen. */
const boardsMax = 3;

/** A provider per row and a month per column: what stands in the way of closing, and how much money it is about. */
export async function showBoard(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { data } = await askApi<{ data: PresentedPeriod[] }>(web, c, visitor, "/v1/periods");
  const patience = patienceOf(c);
  const accounts = [...new Set(data.map(({ account }) => account))];
  const isMany = accounts.length > boardsMax;
  const chosen = accounts.find((account) => account === c.req.query("account"));
  const shown = chosen === undefined ? (isMany ? [] : accounts) : [chosen];
  const inQuestion = data.filter(({ account }) => chosen === undefined || account === chosen);
  const { months: inView, ...beyond } = monthsShown(inQuestion, c.req.query("to"));
  const boards = await Promise.all(
    shown.map(async (account) => {
      const all = data.filter((period) => period.account === account);
      const months = all.filter(({ month }) => inView.includes(month));
      const open = all.filter(({ state }) => state === "open" || state === "reopened");
      const looked = months.filter(
        (period) => !open.includes(period) || open.slice(0, openMax).includes(period),
      );
      const details = await Promise.all(
        looked.map(async (period) => {
          const detail = await keptDetail(web, c, visitor, period, patience);
          return [period.month, detail ?? "unfinished"] as const;
        }),
      );
      return { account, months: months.toReversed(), details: new Map(details) };
    }),
  );
  return show(web, c, visitor, {
    title: "Close",
    under: "/close",
    children: (
      <>
        <TitleRow title="Close">
          Two people sign each month: one prepares it, another approves it. Months close in order.
        </TitleRow>
        {accounts.length === 0 ? (
          <Empty title="No account has been read yet">
            See <a href="/sync">Sync</a>.
          </Empty>
        ) : (
          boards.map((board, index) => (
            <Panel title={board.account} id={`board-${index}`}>
              {board.months.length === 0 ? (
                <Empty title="No months yet">The first whole month after the start can be closed.</Empty>
              ) : (
                <Follows
                  id={`board-${index}-part`}
                  from={isWhole(board) || patience.isLong ? null : boardPath(c, { wait: "true" })}
                >
                  <Board {...board} />
                </Follows>
              )}
            </Panel>
          ))
        )}
        <OtherMonths {...beyond} c={c} />
        {isMany && <AccountsTable periods={data} accounts={accounts} months={inView.toReversed()} />}
      </>
    ),
  });
}

/** The same screen, otherwise. */
function boardPath(c: WebContext, otherwise: Record<string, string>): string {
  const { account, to } = c.req.query();
  const kept = { ...(account === undefined ? {} : { account }), ...(to === undefined ? {} : { to }) };
  return `/close?${new URLSearchParams({ ...kept, ...otherwise }).toString()}`;
}

function OtherMonths({ older, newer, c }: { older: string | null; newer: string | null; c: WebContext }) {
  if (older === null && newer === null) return null;
  return (
    <nav class="pager" aria-label="Months">
      {older !== null && <a href={boardPath(c, { to: older })}>Months before</a>}
      {newer !== null && <a href={boardPath(c, { to: newer })}>Months after</a>}
    </nav>
  );
}

function isWhole({ details }: BoardProps): boolean {
  return ![...details.values()].includes("unfinished");
}

interface AccountsTableProps {
  periods: readonly PresentedPeriod[];
  accounts: readonly string[];
  months: readonly string[];
}

/** Of many accounts, how far each month is. */
function AccountsTable({ periods, accounts, months }: AccountsTableProps) {
  const periodOf = new Map(periods.map((period) => [`${period.account} ${period.month}`, period]));
  return (
    <Panel title="Accounts" id="accounts">
      <TableFrame label="Months of all accounts">
        <table class="list keep board">
          <caption class="unseen">Months of all accounts, newest first: which are closed</caption>
          <thead>
            <tr>
              <th scope="col">Account</th>
              {months.map((month) => (
                <th scope="col">{month}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <tr>
                <th scope="row">
                  <GivenLink href={`/close?${new URLSearchParams({ account }).toString()}`} text={account} />
                </th>
                {months.map((month) => (
                  <td>
                    <MonthState period={periodOf.get(`${account} ${month}`)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Panel>
  );
}

function MonthState({ period }: { period: PresentedPeriod | undefined }) {
  if (period === undefined) return <Nothing />;
  return (
    <a href={periodPath(period)} aria-label={`${period.month} of ${period.account}, ${period.state}`}>
      <StateChip state={period.state} />
    </a>
  );
}

/** A month's checklist, unless it is still being worked out. */
type Looked = PresentedPeriodDetail | "unfinished";

interface BoardProps {
  account: string;
  months: readonly PresentedPeriod[];
  details: ReadonlyMap<string, Looked>;
}

function Board({ account, months, details }: BoardProps) {
  const rows = [null, ...providersOf(details)];
  return (
    <TableFrame label={`Months of ${account}`}>
      <table class="list keep board">
        <caption class="unseen">Months of {account}, newest first: how each provider stands</caption>
        <thead>
          <tr>
            <th scope="col">Provider</th>
            {months.map((period) => (
              <th scope="col">
                <a href={periodPath(period)}>{period.month}</a> <StateChip state={period.state} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((provider, at) => (
            <tr>
              <th scope="row">{provider === null ? "Whole account" : <Given text={provider} />}</th>
              {months.map(({ month }) => (
                <td>
                  <BoardCell detail={details.get(month)} provider={provider} isFirst={at === 0} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

interface BoardCellProps {
  detail: Looked | undefined;
  provider: string | null;
  /** Facts about the whole month are shown once. */
  isFirst: boolean;
}

function BoardCell({ detail, provider, isFirst }: BoardCellProps) {
  if (detail === undefined) return isFirst ? <small>an earlier month is still open</small> : <Nothing />;
  if (detail === "unfinished") return isFirst ? <small>still being computed</small> : <Nothing />;
  const accepted = new Set(detail.accepted.map(({ line }) => line));
  const cell: Cell | null = cellOf(detail.checklist.lines, provider, accepted);
  if (cell === null) return <Nothing />;
  return (
    <>
      <CheckChip state={cell.state} />
      {cell.reason !== null && <small class="board-reason">{cell.reason}</small>}
      <Amounts amounts={cell.amounts} />
    </>
  );
}

function providersOf(details: BoardProps["details"]): string[] {
  const names = new Set<string>();
  for (const detail of details.values()) {
    if (detail === "unfinished") continue;
    for (const { parts } of detail.checklist.lines)
      for (const { provider } of parts) if (provider !== null) names.add(provider);
  }
  return [...names].toSorted();
}
