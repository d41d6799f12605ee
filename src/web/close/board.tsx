import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, Panel, TableFrame, TitleRow } from "../parts/blocks.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { Given, Nothing } from "../parts/show.tsx";
import { cellOf, type Cell } from "./cell.ts";
import { keptDetail } from "./kept-detail.ts";
import { Amounts, CheckChip, periodPath, StateChip } from "./parts.tsx";

/** Months shown, newest first. */
const monthsMax = 13;
/** Open months that are looked at: they close in order, so the others wait for these anyway. */
const openMax = 3;

/** A provider per row and a month per column: what stands in the way of closing, and how much money it is about. */
export async function showBoard(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { data } = await askApi<{ data: PresentedPeriod[] }>(web, c, visitor, "/v1/periods");
  const patience = patienceOf(c);
  const accounts = [...new Set(data.map(({ account }) => account))];
  const boards = await Promise.all(
    accounts.map(async (account) => {
      const months = data.filter((period) => period.account === account).slice(-monthsMax);
      const open = months.filter(({ state }) => state === "open" || state === "reopened");
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
        {boards.length === 0 ? (
          <Empty title="No account has been read yet">
            See <a href="/sync">Sync</a>.
          </Empty>
        ) : (
          boards.map((board, index) => (
            <Panel title={board.account} id={`board-${index}`}>
              {board.months.length === 0 ? (
                <Empty title="No months yet">The first whole month after the start can be closed.</Empty>
              ) : (
                <Follows id={`board-${index}-part`} from={isWhole(board) || patience.isLong ? null : whole}>
                  <Board {...board} />
                </Follows>
              )}
            </Panel>
          ))
        )}
      </>
    ),
  });
}

const whole = "/close?wait=true";

function isWhole({ details }: BoardProps): boolean {
  return ![...details.values()].includes("unfinished");
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
  /** What holds for the whole month is said once. */
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
