import { counted } from "../../core/counted.ts";
import type { CoverageRow } from "../../store/accounts/account-reads.ts";
import type { SyncAccount } from "../../store/accounts/account-switches.ts";
import { may, type Visitor } from "../deps.ts";
import { formatAge } from "../format.ts";
import { Empty, Fact, FormToken } from "../parts/blocks.tsx";
import { TroubleChip, TroubleDetails } from "../parts/account-state.tsx";
import { CoverageLine } from "../parts/coverage-line.tsx";
import { KeptField } from "../parts/kept-fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Given, Nothing, Time } from "../parts/show.tsx";

interface AccountCardsProps {
  accounts: readonly SyncAccount[];
  coverage: readonly CoverageRow[];
  visitor: Visitor;
}

/** One block per account: its state, its pace, what has been read, and the switches for who may use them. */
export function AccountCards({ accounts, coverage, visitor }: AccountCardsProps) {
  if (accounts.length === 0) {
    return (
      <Empty title="No accounts that you may see">
        Accounts come from the configuration: <code>UPSTREAM_BASE_URL</code> or{" "}
        <code>TIEOUT_ACCOUNTS_FILE</code>.
      </Empty>
    );
  }
  return (
    <div class="account-cards">
      {accounts.map((account) => (
        <AccountCard
          account={account}
          coverage={coverage.find(({ name }) => name === account.name) ?? null}
          visitor={visitor}
        />
      ))}
    </div>
  );
}

interface CardProps {
  account: SyncAccount;
  coverage: CoverageRow | null;
  visitor: Visitor;
}

function AccountCard({ account, coverage, visitor }: CardProps) {
  const { zone } = visitor.preferences;
  const titleId = `account-${account.id}`;
  return (
    <section class="panel" aria-labelledby={titleId}>
      <header class="panel-head">
        <h2 id={titleId}>
          <Given text={account.name} />
        </h2>
        <div class="panel-aside">
          <State account={account} />
        </div>
      </header>
      {account.state !== "active" && (
        <p class={account.state === "paused" ? "warning" : "warning bad"}>
          <TroubleDetails
            trouble={{ state: account.state, reason: account.stateReason, since: account.stateSince }}
            zone={zone}
          />
        </p>
      )}
      <dl class="facts">
        <Fact name="Aggregator" value={<Given text={account.baseUrl} mono />} />
        <Fact name="Read from" value={<Time at={account.syncStart} zone={zone} />} />
        <Fact name="Last answer" value={<Time at={account.lastSuccessAt} zone={zone} />} />
        <dt>Pace</dt>
        <dd>
          {account.requestLimit === 1 ? "1 request" : `up to ${counted(account.requestLimit, "request")}`} at
          once
          {account.waitSeconds !== null && `, waiting ${formatAge(account.waitSeconds)}`}
        </dd>
        <dt>Coverage</dt>
        <dd>{coverage === null ? <Nothing /> : <CoverageLine coverage={coverage} zone={zone} />}</dd>
      </dl>
      {may(visitor, "sync:write") && <Switches account={account} visitor={visitor} />}
    </section>
  );
}

function State({ account }: { account: SyncAccount }) {
  if (account.state !== "active") return <TroubleChip state={account.state} />;
  if (account.waitSeconds !== null) return <Chip tone="calm">slowed down</Chip>;
  return <Chip tone="good">active</Chip>;
}

function Switches({ account, visitor }: { account: SyncAccount; visitor: Visitor }) {
  const paused = account.state === "paused" || account.state === "refused";
  const name = <input type="hidden" name="account" value={account.name} />;
  const ofPause = { visitor, form: `pause-${account.id}` };
  const ofBackfill = { visitor, form: `backfill-${account.id}` };
  return (
    <div class="switches">
      {paused ? (
        <form method="post" action="/sync/resume">
          <FormToken csrf={visitor.csrf} />
          {name}
          <button type="submit">Resume</button>
        </form>
      ) : (
        <details open={visitor.refused?.form === ofPause.form}>
          <summary>Pause</summary>
          <PostForm visitor={visitor} action="/sync/pause" id={ofPause.form} back="/sync">
            {name}
            <KeptField {...ofPause} name="reason" label="Why" required maxlength={200} />
            <button type="submit">Pause {account.name}</button>
          </PostForm>
        </details>
      )}
      <details open={visitor.refused?.form === ofBackfill.form}>
        <summary>Read further back</summary>
        <PostForm visitor={visitor} action="/sync/backfill" id={ofBackfill.form} back="/sync">
          {name}
          <KeptField
            {...ofBackfill}
            type="date"
            name="from"
            label={`From, in ${visitor.preferences.zone}`}
            required
            max={account.syncStart.slice(0, 10)}
          />
          <button type="submit">Read from this day on</button>
        </PostForm>
      </details>
    </div>
  );
}
