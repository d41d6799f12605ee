import { counted } from "../../core/counted.ts";
import { type RejectedGroup, rejectedGroups } from "../../store/statements/statement-rows.ts";
import { listRepeated, nothingRepeated } from "../../store/statements/told-rows.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { Fact, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { RowCounts } from "../parts/row-counts.tsx";
import { Chip, Count, Given, Nothing, Period, Time } from "../parts/show.tsx";
import { OriginalLink } from "../parts/original-link.tsx";
import { WithdrawPanel } from "../parts/withdraw-panel.tsx";
import type { StatementTotal } from "./actions.ts";
import { LinesPanel, readLinesScreen } from "./lines.tsx";
import { problemColumns } from "./problem-columns.tsx";
import { Repeated } from "./told-changes.tsx";
import { statementOf } from "./statement-of.ts";
import { TotalsTable } from "./totals-table.tsx";

/** One statement: what became of its rows, its totals, and the way to take it back. */
export async function showStatement(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const statement = await statementOf(c, visitor);
  const groups =
    statement.rowsRejected === 0 ? [] : await rejectedGroups(visitor.reader.database, statement.id);
  // Looked for among all rows of the file, which may be a million.
  const repeated =
    statement.rowsDuplicate === 0
      ? nothingRepeated
      : await listRepeated(visitor.reader.database, { statementId: statement.id, limit: 100 });
  const lines = await readLinesScreen(web, c, visitor, statement);
  const { zone } = visitor.preferences;
  const canWithdraw =
    may(visitor, "statements:write") && web.deps.statements !== undefined && statement.state === "imported";
  return show(web, c, visitor, {
    title: `Statement ${statement.fileName.slice(0, 60)}`,
    under: "/statements",
    children: (
      <>
        <div class="title-row">
          <h1>
            <Given text={statement.fileName} />
          </h1>
          <Chip tone={statement.state === "imported" ? "good" : "plain"}>{statement.state}</Chip>
          <p class="summary">
            <Given text={statement.provider} />, account <Given text={statement.account} />
          </p>
        </div>
        {statement.withdrawnAt !== null && (
          <p class="warning">
            Withdrawn on <Time at={statement.withdrawnAt} zone={zone} /> by{" "}
            <Given text={statement.withdrawnByName ?? null} />: <Given text={statement.withdrawnReason} />.
            Its lines no longer count, unless another statement contains them too.
          </p>
        )}
        <LinesPanel statement={statement} lines={lines} visitor={visitor} />
        <div class="columns-2">
          <Panel
            title="The file"
            id="file"
            aside={<OriginalLink of={`/statements/${statement.id}`} visitor={visitor} />}
          >
            <Facts statement={statement} zone={zone} />
          </Panel>
          <Panel title="Its rows" id="rows">
            <RowCounts of={statement} />
            <Repeated repeated={repeated} />
          </Panel>
        </div>
        {groups.length > 0 && (
          <Rejected statement={statement} groups={groups} withRows={may(visitor, "wallets:read")} />
        )}
        <Panel title="Control totals" id="totals">
          <TotalsTable totals={statement.totals as StatementTotal[]} />
        </Panel>
        {canWithdraw && (
          <p>
            <a href={`/statements?replaces=${statement.id}#upload`}>Replace with a corrected file …</a>
          </p>
        )}
        {canWithdraw && (
          <WithdrawPanel visitor={visitor} under="/statements" id={statement.id} what="statement" />
        )}
      </>
    ),
  });
}

function Facts({ statement, zone }: { statement: StoredStatement; zone: string }) {
  return (
    <dl class="facts">
      <Fact name="Number" value={statement.id} />
      <dt>Period</dt>
      <dd>
        <Period from={statement.periodFrom} to={statement.periodTo} zone={zone} />
      </dd>
      <Fact name="Currencies" value={currenciesOf(statement)} />
      <dt>{madeWords[statement.generatedAtFrom] ?? "Made by the provider"}</dt>
      <dd>
        <Time at={statement.generatedAt} zone={zone} />
      </dd>
      <dt>Profile</dt>
      <dd>
        {statement.profile}, version {statement.profileVersion}
      </dd>
      <Fact name="SHA-256" value={<code class="hash">{statement.sha256.toString("hex")}</code>} />
      <Fact name="Size" value={counted(statement.byteCount, "byte")} />
      <dt>Imported</dt>
      <dd>
        <Time at={statement.importedAt} zone={zone} /> by <Given text={statement.importedByName ?? null} />
      </dd>
      {statement.acceptedReason !== null && (
        <>
          <dt>Accepted in spite of</dt>
          <dd>
            {statement.acceptedCodes?.join(", ")}: <Given text={statement.acceptedReason} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** The period is covered for all of the provider: a file that was made for one currency only is noticed here. */
function currenciesOf({ totals }: StoredStatement) {
  const codes = new Set((totals as StatementTotal[]).flatMap(({ currency }) => currency ?? []));
  return codes.size === 0 ? <Nothing /> : [...codes].toSorted().join(", ");
}

/** Where the file itself does not say when it was made, the page must not either. */
const madeWords: Record<string, string> = { rows: "Latest row", import: "Not dated; imported" };

interface RejectedProps {
  statement: StoredStatement;
  groups: readonly RejectedGroup[];
  withRows: boolean;
}

function Rejected({ statement, groups, withRows }: RejectedProps) {
  return (
    <Panel
      title="Rejected rows"
      id="rejected"
      aside={
        withRows && (
          <a href={`/statements/${statement.id}/rejected.csv`} download>
            Download all {formatCount(statement.rowsRejected)}
          </a>
        )
      }
    >
      <ListTable
        label="Rejected rows"
        caption="Rejected rows, grouped by what to do about them. Importing a corrected file does not change known rows."
        rows={groups}
        columns={[
          ...problemColumns,
          { title: "Rows", figures: (group) => <Count of={group.rows} /> },
          { title: "First lines", show: (group) => group.firstLines.join(", ") },
        ]}
      />
    </Panel>
  );
}
