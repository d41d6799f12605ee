import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/present.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, Panel, TableFrame, TitleRow } from "../parts/blocks.tsx";
import { Chip, Given, Nothing } from "../parts/show.tsx";
import { cellOf, type Cell } from "./cell.ts";
import { Amounts, periodPath, StateChip, toneOf } from "./parts.tsx";

/** Months shown, newest first. */
const monthsMax = 13;
/** Open months that are looked at: they close in order, so the others wait for these anyway. */
const openMax = 3;

/** A month per row and a provider per column: what stands in the way of closing, and how much money it is about. */
export async function showBoard(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { data } = await askApi<{ data: PresentedPeriod[] }>(web, c, visitor, "/v1/periods");
  const accounts = [...new Set(data.map(({ account }) => account))];
  const boards = await Promise.all(
    accounts.map(async (account) => {
      const months = data.filter((period) => period.account === account).slice(-monthsMax);
      const open = months.filter(({ state }) => state === "open" || state === "reopened");
      const looked = months.filter(
        (period) => !open.includes(period) || open.slice(0, openMax).includes(period),
      );
      const details = await Promise.all(
        looked.map(({ month }) =>
          askApi<PresentedPeriodDetail>(web, c, visitor, `/v1/periods/${month}`, {
            query: new URLSearchParams({ account }),
          }),
        ),
      );
      const byMonth = new Map(details.map((detail) => [detail.month, detail]));
      return { account, months: months.toReversed(), details: byMonth };
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
          <Empty title="No account is read yet">
            See <a href="/sync">Sync</a>.
          </Empty>
        ) : (
          boards.map((board, index) => (
            <Panel title={board.account} id={`board-${index}`}>
              {board.months.length === 0 ? (
                <Empty title="No month yet">The first whole month after the start can be closed.</Empty>
              ) : (
                <Board {...board} />
              )}
            </Panel>
          ))
        )}
      </>
    ),
  });
}

interface BoardProps {
  account: string;
  months: readonly PresentedPeriod[];
  details: ReadonlyMap<string, PresentedPeriodDetail>;
}

function Board({ account, months, details }: BoardProps) {
  const providers = providersOf(details);
  return (
    <TableFrame label={`Months of ${account}`}>
      <table class="list keep board">
        <caption class="unseen">Months of {account}: how each provider stands</caption>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">State</th>
            <th scope="col">Account</th>
            {providers.map((provider) => (
              <th scope="col">
                <Given text={provider} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {months.map((period) => (
            <tr>
              <th scope="row">
                <a href={periodPath(period)}>{period.month}</a>
              </th>
              <td>
                <StateChip state={period.state} />
              </td>
              {[null, ...providers].map((provider) => (
                <td>
                  <BoardCell detail={details.get(period.month)} provider={provider} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function BoardCell({
  detail,
  provider,
}: {
  detail: PresentedPeriodDetail | undefined;
  provider: string | null;
}) {
  if (detail === undefined) return <small>waits for an earlier month</small>;
  const cell: Cell | null = cellOf(detail.checklist.lines, provider);
  if (cell === null) return <Nothing />;
  return (
    <>
      <Chip tone={toneOf(cell.state)}>{cell.state}</Chip>
      {cell.reason !== null && <small class="board-reason">{cell.reason}</small>}
      <Amounts amounts={cell.amounts} />
    </>
  );
}

function providersOf(details: BoardProps["details"]): string[] {
  const names = new Set<string>();
  for (const { checklist } of details.values())
    for (const { parts } of checklist.lines)
      for (const { provider } of parts) if (provider !== null) names.add(provider);
  return [...names].toSorted();
}
