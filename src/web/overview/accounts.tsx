import { MINUTE, SECOND } from "../../core/duration.ts";
import type { CoverageRow, FreshnessRow } from "../../store/account-reads.ts";
import { Empty, Panel, TableFrame } from "../parts/blocks.tsx";
import { CoverageLine } from "../parts/coverage-line.tsx";
import { Age, Chip, Count, Given, Time } from "../parts/show.tsx";

/** Later than this, somebody should know before they trust a figure. */
const staleAfterMs = 15 * MINUTE;

export function isStale(account: Pick<FreshnessRow, "state" | "lag_seconds">): boolean {
  return (
    account.state === "paused" || account.lag_seconds === null || account.lag_seconds * SECOND > staleAfterMs
  );
}

type Account = FreshnessRow & { coverage: CoverageRow | null };

/** How current each account is, and what of its time has provably been read. */
export function AccountsPanel({ accounts, zone }: { accounts: readonly Account[]; zone: string }) {
  return (
    <Panel title="Freshness and coverage" id="freshness" aside={<a href="/sync">Sync</a>}>
      {accounts.length === 0 ? (
        <Empty title="There is no account yet">
          Set <code>UPSTREAM_BASE_URL</code> and its keys, or <code>TIEOUT_ACCOUNTS_FILE</code>, and start the
          service again.
        </Empty>
      ) : (
        <TableFrame label="Accounts">
          <table class="list">
            <caption>Accounts: how current their data is, and the gaps in it. Times in {zone}.</caption>
            <thead>
              <tr>
                <th scope="col">Account</th>
                <th scope="col">State</th>
                <th scope="col">Complete up to</th>
                <th scope="col" class="figures">
                  Behind
                </th>
                <th scope="col" class="figures">
                  Windows open
                </th>
                <th scope="col" class="figures">
                  Failed
                </th>
                <th scope="col" class="figures">
                  Quarantine
                </th>
                <th scope="col" class="coverage-column">
                  Read so far
                </th>
              </tr>
            </thead>
            <tbody>
              {accounts.map((account) => (
                <AccountRow account={account} zone={zone} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </Panel>
  );
}

function AccountRow({ account, zone }: { account: Account; zone: string }) {
  const query = (more: Record<string, string>) =>
    new URLSearchParams({ account: account.name, ...more }).toString();
  return (
    <tr>
      <th scope="row">
        <a href={`/transactions?${query({})}`}>
          <Given text={account.name} />
        </a>
      </th>
      <td>
        <FreshnessChip account={account} />
      </td>
      <td>
        <Time at={account.data_as_of} zone={zone} />
      </td>
      <td class="figures">
        <Age seconds={account.lag_seconds} />
      </td>
      <td class="figures">
        <Count of={account.open_windows} href={`/sync?${query({ state: "planned,walking" })}`} />
      </td>
      <td class="figures">
        <Count of={account.failed_windows} href={`/sync?${query({ state: "failed" })}`} />
      </td>
      <td class="figures">
        <Count of={account.quarantined} href={`/sync/quarantine?${query({})}`} />
      </td>
      <td class="coverage-column">
        {account.coverage === null ? null : <CoverageLine coverage={account.coverage} zone={zone} />}
      </td>
    </tr>
  );
}

function FreshnessChip({
  account,
}: {
  account: Pick<FreshnessRow, "state" | "lag_seconds" | "paused_reason">;
}) {
  if (account.state === "paused") {
    return (
      <>
        <Chip tone="bad">paused</Chip>
        <small class="of">
          <bdi>{account.paused_reason}</bdi>
        </small>
      </>
    );
  }
  if (account.lag_seconds === null) return <Chip tone="calm">not read yet</Chip>;
  return isStale(account) ? <Chip tone="warn">stale</Chip> : <Chip tone="good">current</Chip>;
}
