import { everyAccount, listCoverage } from "../../store/accounts/account-reads.ts";
import { listSyncAccounts } from "../../store/accounts/account-switches.ts";
import { listWindows, windowPaging, type WindowRow } from "../../store/windows/sync-reads.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { choicesFor } from "../fresh-totals.ts";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given, Nothing, Time, type Tone } from "../parts/show.tsx";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";
import { AccountCards } from "./accounts.tsx";

const rowsPerPage = 25;
const states = ["planned", "walking", "sealed", "split", "failed"];
const kinds = ["live", "backfill", "lookback", "deep", "refresh", "event"];

/** How the reading goes: accounts and their pace, and the windows of time that are read. */
export async function showSync(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "state", "kind");
  const [accounts, coverage, { rows, pager }, choices] = await Promise.all([
    listSyncAccounts(visitor.reader),
    listCoverage(visitor.reader, {}, everyAccount),
    listPage({ path: "/sync", address, limit: rowsPerPage }, windowPaging, (page) =>
      listWindows(visitor.reader, filters, page),
    ),
    choicesFor(web, visitor),
  ]);
  return show(web, c, visitor, {
    title: "Sync",
    under: "/sync",
    children: (
      <>
        <TitleRow title="Sync">
          <a href="/sync/quarantine">Quarantine</a>
        </TitleRow>
        <AccountCards accounts={accounts} coverage={coverage.rows} visitor={visitor} />
        <Panel title="Windows" id="windows">
          <FilterForm path="/sync">
            <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
            <Choice name="state" label="State" options={states} chosen={chosen("state")} />
            <Choice name="kind" label="Kind" options={kinds} chosen={chosen("kind")} />
          </FilterForm>
          <div
            id="window-list"
            hx-get={`/sync?${address.toString()}`}
            hx-trigger="every 10s"
            hx-select="#window-list"
            hx-swap="outerHTML"
          >
            <Windows rows={rows} zone={visitor.preferences.zone} />
          </div>
          <Pager {...pager} shown={`${rows.length} shown, newest first`} />
        </Panel>
      </>
    ),
  });
}

function Windows({ rows, zone }: { rows: readonly WindowRow[]; zone: string }) {
  if (rows.length === 0) {
    return (
      <Empty title="No windows match these filters">
        <a href="/sync">Show all windows</a>. When there are none at all, no worker has planned any yet: is
        one running?
      </Empty>
    );
  }
  return (
    <ListTable
      label="Windows"
      caption={`Time windows that have been or will be read, newest first. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        { title: "Window", cellClass: "mono", rowName: (row) => `win_${row.id}` },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        { title: "Kind", show: (row) => row.kind },
        { title: "From", show: (row) => <Time at={row.rangeFrom} zone={zone} /> },
        { title: "To", show: (row) => <Time at={row.rangeTo} zone={zone} /> },
        { title: "State", show: (row) => <Chip tone={tones[row.state] ?? "plain"}>{row.state}</Chip> },
        { title: "Pages", figures: (row) => <Count of={row.pages} /> },
        { title: "Records", figures: (row) => <Count of={row.read} /> },
        { title: "New", figures: (row) => <Count of={row.added} /> },
        { title: "Sealed", show: (row) => <Time at={row.sealedAt} zone={zone} /> },
        { title: "Problem", show: (row) => <Trouble row={row} /> },
      ]}
    />
  );
}

function Trouble({ row }: { row: WindowRow }) {
  if (row.errorCode === null) return <Nothing />;
  return (
    <>
      <code>{row.errorCode}</code> <Given text={row.error} />
      {row.failures > 1 && <small> ({row.failures} times)</small>}
    </>
  );
}

const tones: Record<string, Tone> = {
  sealed: "good",
  failed: "bad",
  walking: "calm",
  planned: "calm",
  split: "plain",
};
