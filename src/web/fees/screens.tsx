import { counted } from "../../core/counted.ts";
import { foundReference, notFound } from "../../api/references.ts";
import { type PresentedTerm, presentWhole } from "../../api/fee-schedules/schema.ts";
import {
  type FeeSchedule,
  listFeeSchedules,
  readFeeSchedule,
  unknownMethods,
} from "../../store/fees/fee-schedules.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Choice, Empty, Fact, FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { FileInput } from "../parts/file-input.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { Given, GivenLink, Time } from "../parts/show.tsx";

/** What was agreed with providers, every version; and a way to add one. */
export async function showFees(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { database, accountIds } = visitor.reader;
  const [schedules, choices] = await Promise.all([
    listFeeSchedules(database, { accountIds }),
    choicesFor(web, visitor),
  ]);
  return show(web, c, visitor, {
    title: "Fees",
    under: "/fees",
    children: (
      <>
        <TitleRow title="Fee schedules" />
        {may(visitor, "reconcile:write") && <Upload visitor={visitor} accounts={choices.accounts} />}
        <Panel title="Agreed" id="agreed">
          {schedules.length === 0 ? (
            <Empty title="No fee schedules yet">
              Once there is one, the fees and our share of every order are compared with what was agreed.
            </Empty>
          ) : (
            <ScheduleTable schedules={schedules} zone={visitor.preferences.zone} />
          )}
        </Panel>
      </>
    ),
  });
}

export async function showFeeSchedule(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { database, accountIds } = visitor.reader;
  const id = foundReference("fee_schedule", c.req.param("id") ?? "");
  const found = (await readFeeSchedule(database, { accountIds, id })) ?? notFound("fee_schedule");
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: `Fees of ${found.provider}`,
    under: "/fees",
    children: (
      <>
        <TitleRow title={`Fees of ${found.provider}, version ${found.version}`}>
          <a href="/fees">Back to Fees</a>
        </TitleRow>
        <Panel title="Terms" id="terms">
          <dl class="facts">
            <Fact name="Valid from" value={<Time at={found.validFrom} zone={zone} />} />
            <Fact name="Account" value={<Given text={found.account} />} />
            <dt>Imported</dt>
            <dd>
              <Time at={found.importedAt} zone={zone} /> by <Given text={found.importedByName} />
            </dd>
            <Fact name="Reason" value={<Given text={found.reason} />} />
          </dl>
          {found.unknownPaymentMethods.length > 0 && (
            <p class="warning">
              <Given text={unknownMethods(found)} />
            </p>
          )}
          <TermsTable terms={presentWhole(found).terms} />
        </Panel>
      </>
    ),
  });
}

interface Previewed {
  account: string;
  provider: string;
  valid_from: string;
  terms: readonly PresentedTerm[];
  fileName: string;
}

/** What an import would add, before anything is written. */
export function showFeePreview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { account, provider, valid_from, terms, fileName }: Previewed,
): Promise<Response> {
  return show(web, c, visitor, {
    title: "Preview",
    under: "/fees",
    children: (
      <>
        <TitleRow title="Preview">
          <a href="/fees">Back to Fees</a>
        </TitleRow>
        <div id="preview" aria-live="polite">
          <Panel title={`What ${fileName} says`} id="preview-title">
            <p>
              {counted(terms.length, "term")} for <Given text={provider || "no provider yet"} /> of{" "}
              <Given text={account} />, valid from <Time at={valid_from} zone={visitor.preferences.zone} />.
              Nothing has been saved yet.
            </p>
            <TermsTable terms={terms} />
            <button type="submit" form="fee-form" formaction="/fees/import">
              Import schedule
            </button>
          </Panel>
        </div>
      </>
    ),
  });
}

/** One form with two buttons: the preview is put below it, and so the file stays chosen for the import. */
function Upload({ visitor, accounts }: { visitor: Visitor; accounts: readonly string[] }) {
  const [onlyAccount = ""] = accounts.length === 1 ? accounts : [];
  return (
    <Panel title="Import schedule" id="upload">
      <details>
        <summary>Columns of the file</summary>
        <p>
          A CSV file has a row per fee, below a header with these names. Only <code>kind</code> is required,
          with at least one of <code>flat</code>, <code>percent</code> and <code>minimum</code>; an empty cell
          holds for all orders.
        </p>
        <dl class="facts">
          {columnsOfFile.map(([name, means]) => (
            <>
              <dt class="mono">{name}</dt>
              <dd>{means}</dd>
            </>
          ))}
        </dl>
        <p>
          For example: <code>kind,payment_method,percent</code>, and below it{" "}
          <code>share,creditcard,0.6</code> for 0.6 % of card orders.
        </p>
      </details>
      <form id="fee-form" method="post" action="/fees/preview" enctype="multipart/form-data">
        <FormToken csrf={visitor.csrf} />
        <FileInput
          label="File with the terms: drop it here, or choose it"
          hint="CSV or JSON, up to 5 MB. Nothing is saved until you have seen what it would do."
          accept=".csv,.json,.txt,text/csv,application/json"
        />
        <div class="filter-row">
          <Choice name="account" label="Account" any="Choose …" options={accounts} chosen={onlyAccount} />
          <label>
            <span>Provider</span>
            <input type="text" name="provider" placeholder="from the file" maxlength={60} />
          </label>
          <label>
            <span>Valid from</span>
            <input type="date" name="from" />
          </label>
          <label>
            <span>Reason</span>
            <input type="text" name="reason" required maxlength={500} />
          </label>
          <PreviewButton action="/fees/preview" />
        </div>
      </form>
      <div id="preview" aria-live="polite"></div>
    </Panel>
  );
}

const columnsOfFile = [
  ["kind", "share (our share), processing_fee (fees except network fee) or total_fee (all fees)"],
  ["side", "buy or sell"],
  ["payment_method", "as the aggregator names it, such as creditcard"],
  ["currency", "such as EUR"],
  ["over", "orders from this amount on; 0 if empty"],
  ["flat", "an amount per order, such as 0.25"],
  ["percent", "per cent of the order: 0.6 is 0.6 %"],
  ["minimum", "at least this much per order"],
  ["maximum", "at most this much per order"],
  ["capped_by_fee", "true: our share is never more than the fee"],
] as const satisfies readonly (readonly [keyof PresentedTerm, string])[];

function ScheduleTable({ schedules, zone }: { schedules: readonly FeeSchedule[]; zone: string }) {
  return (
    <ListTable
      label="Fee schedules"
      caption={`Fee schedules, newest version first for each provider. Times in ${zone}.`}
      rows={schedules}
      columns={[
        {
          title: "Provider",
          rowName: ({ id, provider }) => <GivenLink href={`/fees/fee_${id}`} text={provider} />,
        },
        { title: "Account", show: ({ account }) => <Given text={account} /> },
        { title: "Version", figures: ({ version }) => version },
        { title: "Valid from", show: ({ validFrom }) => <Time at={validFrom} zone={zone} /> },
        { title: "File", show: ({ fileName }) => <Given text={fileName} /> },
        { title: "Reason", show: ({ reason }) => <Given text={reason} /> },
      ]}
    />
  );
}

const kinds = {
  share: "Our share",
  processing_fee: "Fees except network fee",
  total_fee: "All fees",
} as const;

function TermsTable({ terms }: { terms: readonly PresentedTerm[] }) {
  return (
    <ListTable
      label="Terms"
      caption="Of the terms that apply to an order, the most specific one counts, at the highest tier the order reaches."
      rows={terms}
      columns={[
        { title: "Fee", rowName: ({ kind }) => kinds[kind] },
        { title: "Side", show: ({ side }) => side ?? "both" },
        { title: "Payment method", show: (term) => <Given text={term.payment_method ?? "all"} /> },
        { title: "Currency", show: ({ currency }) => <Given text={currency ?? "all"} /> },
        { title: "Orders from", figures: ({ over }) => over },
        { title: "Flat", figures: ({ flat }) => flat },
        { title: "Percent", figures: ({ percent }) => percent },
        { title: "Minimum", figures: ({ minimum }) => minimum ?? "" },
        { title: "Maximum", figures: (term) => (term.capped_by_fee ? "the fee" : (term.maximum ?? "")) },
      ]}
    />
  );
}
