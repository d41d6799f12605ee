import { counted } from "../../core/counted.ts";
import { MINUTE, SECOND } from "../../core/duration.ts";
import type { CoverageRow, FreshnessRow } from "../../store/accounts/account-reads.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { CoverageLine } from "../parts/coverage-line.tsx";
import { TroubleChip, TroubleDetails } from "../parts/account-state.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Age, Chip, Count, GivenLink, Time } from "../parts/show.tsx";

/** Data older than this is marked, because figures may be wrong. */
const staleAfterMs = 15 * MINUTE;

export function isStale(account: Pick<FreshnessRow, "state" | "lag_seconds">): boolean {
  return (
    account.state !== "active" || account.lag_seconds === null || account.lag_seconds * SECOND > staleAfterMs
  );
}

/** Some of the time before the newest data has not been read: figures of that time are too low. */
export function hasGaps({ coverage, data_as_of: to }: Account): boolean {
  return (coverage?.gaps ?? []).some(({ from }) => to === null || from < to);
}

/** Nothing is read, and waiting may not help: a person has to look. */
export function isBroken({ state }: Pick<FreshnessRow, "state">): boolean {
  return state === "refused" || state === "failing";
}

export type Account = FreshnessRow & { coverage: CoverageRow | null };

const rowsMax = 20;

/** Of many accounts those are shown that someone has to look after: the others are fine, and on a screen of their own. */
function pressing(accounts: readonly Account[]): readonly Account[] {
  if (accounts.length <= rowsMax) return accounts;
  const urgency = (account: Account) =>
    isBroken(account) ? 0 : isStale(account) ? 1 : hasGaps(account) ? 2 : 3;
  return accounts.toSorted((a, b) => urgency(a) - urgency(b)).slice(0, rowsMax);
}

/** How current each account is, and what of its time has provably been read. */
export function AccountsPanel({ accounts, zone }: { accounts: readonly Account[]; zone: string }) {
  const rows = pressing(accounts);
  const which =
    rows.length < accounts.length
      ? `${rows.length} of ${counted(accounts.length, "account")}, those in trouble first; Sync has all of them`
      : "Accounts";
  return (
    <Panel title="Freshness and coverage" id="freshness" aside={<a href="/sync">Sync</a>}>
      {accounts.length === 0 ? (
        <Empty title="No accounts yet">
          Set <code>UPSTREAM_BASE_URL</code> and its keys, or <code>TIEOUT_ACCOUNTS_FILE</code>, and start the
          service again.
        </Empty>
      ) : (
        <ListTable
          label="Accounts"
          caption={`${which}: how current their data is, and the gaps in it. Times in ${zone}.`}
          rows={rows}
          columns={[
            {
              title: "Account",
              rowName: ({ name }) => <GivenLink href={`/transactions?${queryOf(name)}`} text={name} />,
            },
            { title: "State", show: (account) => <Freshness account={account} zone={zone} /> },
            { title: "Complete up to", show: (account) => <Time at={completeTo(account)} zone={zone} /> },
            { title: "Behind", figures: (account) => <Age seconds={account.lag_seconds} /> },
            {
              title: "Windows open",
              figures: ({ name, open_windows: count }) => (
                <Count of={count} href={`/sync?${queryOf(name, { state: "planned,walking" })}`} />
              ),
            },
            {
              title: "Failed",
              figures: ({ name, failed_windows: count }) => (
                <Count of={count} href={`/sync?${queryOf(name, { state: "failed" })}`} />
              ),
            },
            {
              title: "Quarantine",
              figures: ({ name, quarantined }) => (
                <Count of={quarantined} href={`/sync/quarantine?${queryOf(name)}`} />
              ),
            },
            {
              title: "Read so far",
              class: "coverage-column",
              show: ({ coverage }) =>
                coverage === null ? null : <CoverageLine coverage={coverage} zone={zone} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function queryOf(account: string, more: Record<string, string> = {}): string {
  return new URLSearchParams({ account, ...more }).toString();
}

/** Nothing is, as long as the beginning has not been read. */
function completeTo(account: Account): string | null {
  const [first] = account.coverage?.gaps ?? [];
  if (first === undefined || !hasGaps(account)) return account.data_as_of;
  return first.from === account.coverage?.sync_start ? null : first.from;
}

function Freshness({ account, zone }: { account: Account; zone: string }) {
  if (account.state !== "active") {
    return (
      <>
        <TroubleChip state={account.state} />
        <small class="of">
          <TroubleDetails
            trouble={{ state: account.state, reason: account.state_reason, since: account.state_since }}
            zone={zone}
          />
        </small>
      </>
    );
  }
  if (account.lag_seconds === null) return <Chip tone="calm">not read yet</Chip>;
  if (isStale(account)) return <Chip tone="warn">stale</Chip>;
  if (hasGaps(account)) {
    const share = Math.floor((account.coverage?.share ?? 0) * 100);
    return <Chip tone="warn">{account.open_windows > 0 ? `reading history, ${share} %` : "has gaps"}</Chip>;
  }
  return <Chip tone="good">current</Chip>;
}
