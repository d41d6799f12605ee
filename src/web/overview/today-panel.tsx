import { Empty, NothingCompared, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Money, Nothing } from "../parts/show.tsx";
import type { Waiting } from "./today.ts";

/** The currencies with most in them; all of them stand behind the link. */
const amountsShown = 2;

/** What needs the visitor today. An empty list says so, and is not good news where nothing was compared. */
export function TodayPanel({ waiting, compared }: { waiting: readonly Waiting[]; compared: boolean | null }) {
  return (
    <Panel title="Needs your attention today" id="today">
      {waiting.length > 0 ? (
        <ListTable
          label="Needs your attention today"
          rows={waiting}
          columns={[
            {
              title: "What",
              rowName: ({ title, href, tone }) => (
                <a href={href}>
                  <Chip tone={tone}>{title}</Chip>
                </a>
              ),
            },
            { title: "Why", show: ({ note }) => <bdi>{note}</bdi> },
            { title: "How many", figures: ({ count, href }) => <Count of={count} href={href} /> },
            { title: "How much", figures: (row) => <Amounts waiting={row} /> },
          ]}
        />
      ) : compared === false ? (
        <NothingCompared />
      ) : (
        <Empty title="Nothing needs your attention">
          Anything assigned to you, waiting for your decision or overdue appears here.
        </Empty>
      )}
    </Panel>
  );
}

function Amounts({ waiting: { amounts, href } }: { waiting: Waiting }) {
  if (amounts.length === 0) return <Nothing />;
  const more = amounts.length - amountsShown;
  return (
    <>
      {amounts.slice(0, amountsShown).map(({ amount, currency }) => (
        <a class="line" href={href}>
          <Money amount={amount} currency={currency} />
        </a>
      ))}
      {more > 0 && (
        <a class="line more" href={href}>
          {more === 1 ? "and 1 more currency" : `and ${more} more currencies`}
        </a>
      )}
    </>
  );
}
