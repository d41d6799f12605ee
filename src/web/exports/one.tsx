import { counted } from "../../core/counted.ts";
import { askApi } from "../ask-api.ts";
import { nameOfSum } from "../../report/describe-report.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { Fact, FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given, Money, Time, type Tone } from "../parts/show.tsx";
import { type Export, isUnfinished } from "./export.ts";

/** One export: how far it is, its files with their hashes, and the totals to check them against. */
export async function showExport(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const made = await askApi<Export>(web, c, visitor, `/v1/exports/${encodeURIComponent(id)}`);
  return show(web, c, visitor, {
    title: `Export ${made.report}`,
    under: "/reports",
    children: (
      <>
        <TitleRow title={made.report}>
          <a href="/exports">All exports</a>
        </TitleRow>
        <Progress made={made} visitor={visitor} />
      </>
    ),
  });
}

/** Asks again every second until it is over; without a script, the page is loaded again by hand. */
function Progress({ made, visitor }: { made: Export; visitor: Visitor }) {
  const unfinished = isUnfinished(made);
  const polling = unfinished
    ? {
        "hx-get": `/exports/${made.id}`,
        "hx-trigger": "every 1s",
        "hx-select": "#export",
        "hx-swap": "outerHTML",
      }
    : {};
  return (
    <div id="export" {...polling}>
      <Panel title="State" id="state" aside={<ExportChip state={made.state} />}>
        <div role="status">
          {unfinished && <Bar made={made} />}
          {made.state === "failed" && (
            <p class="form-error">
              <Given text={made.error?.message ?? "The export failed."} /> Make a new export once the cause is
              fixed.
            </p>
          )}
          {made.state === "expired" && <p>The files were removed after a week. Make the export again.</p>}
          {made.state === "succeeded" && <Files made={made} />}
        </div>
        <Facts made={made} zone={visitor.preferences.zone} />
        {unfinished && (
          <form method="post" action="/exports/cancel">
            <FormToken csrf={visitor.csrf} />
            <input type="hidden" name="id" value={made.id} />
            <button type="submit" class="secondary">
              Stop
            </button>
          </form>
        )}
      </Panel>
      {made.totals !== null && <Totals totals={made.totals} />}
    </div>
  );
}

export function ExportChip({ state }: { state: Export["state"] }) {
  return <Chip tone={tones[state]}>{state}</Chip>;
}

const tones: Record<Export["state"], Tone> = {
  queued: "calm",
  running: "calm",
  succeeded: "good",
  failed: "bad",
  cancelled: "plain",
  expired: "plain",
};

function Bar({ made }: { made: Export }) {
  const { rows, total } = made.progress;
  return (
    <>
      <p>
        {made.state === "queued"
          ? "Waiting for a worker. If this does not change, check that one is running (tieout work)."
          : `${formatCount(rows)} of ${total === null ? "…" : counted(total, "row")} written.`}
        <noscript> Load the page again to see progress.</noscript>
      </p>
      <progress
        value={total === null ? undefined : rows}
        max={total === null || total === 0 ? 1 : total}
        aria-label="Rows written"
      ></progress>
    </>
  );
}

function Files({ made }: { made: Export }) {
  return (
    <ListTable
      label="Files"
      caption="Files. The links work for half an hour; load the page again for new ones."
      rows={made.files}
      columns={[
        {
          title: "File",
          rowName: (file) =>
            file.download_url === null ? (
              <>
                <span>{file.name}</span> <small>contains wallet addresses: needs wallets:read</small>
              </>
            ) : (
              <a href={file.download_url} download>
                {file.name}
              </a>
            ),
        },
        { title: "Rows", figures: (file) => <Count of={file.rows} /> },
        { title: "Bytes", figures: (file) => <Count of={file.bytes} /> },
        { title: "SHA-256", show: (file) => <code class="hash">{file.sha256}</code> },
      ]}
    />
  );
}

function Facts({ made, zone }: { made: Export; zone: string }) {
  return (
    <dl class="facts">
      <Fact name="Requested" value={<Time at={made.created_at} zone={zone} />} />
      <Fact name="Data as of" value={<Time at={made.as_of} zone={zone} exact />} />
      <Fact name="Finished" value={<Time at={made.finished_at} zone={zone} />} />
      <dt>Parameters</dt>
      <dd>
        {Object.entries(made.parameters).map(([name, values]) => (
          <span class="parameter">
            <span class="muted">{name}</span> <Given text={values.join(", ")} />
          </span>
        ))}
      </dd>
    </dl>
  );
}

function Totals({ totals }: { totals: NonNullable<Export["totals"]> }) {
  return (
    <Panel title="Control totals" id="totals">
      {totals.coverage.partial && (
        <p class="warning">The period was not read completely: this export is partial, and says so here.</p>
      )}
      {(totals.follows ?? []).map(({ account, month, known_at: at }) => (
        <p>
          <Given text={account} /> follows from the close of {month}, as known at {at}.
        </p>
      ))}
      {(totals.notes ?? []).map((note) => (
        <p class="warning">{note}.</p>
      ))}
      <ListTable
        label="Control totals"
        caption={`What the file must add up to: ${counted(totals.rows, "row")}.`}
        class="narrow"
        rows={totals.sums}
        columns={[
          { title: "Column", cellClass: "mono", rowName: nameOfSum },
          { title: "Sum", figures: ({ sum, currency }) => <Money amount={sum} currency={currency} /> },
        ]}
      />
    </Panel>
  );
}
