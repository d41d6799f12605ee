import { erasure, type ShownErasure, type ShownErasurePreview } from "../../api/erasures/schema.ts";
import { approvalTones } from "../parts/approval-tones.ts";
import { ProblemError } from "../../api/problem.ts";
import { listErasures } from "../../store/erasure/erasure-reads.ts";
import { approvalPaging } from "../../store/people/approvals.ts";
import { addAction, addPage } from "../add-page.tsx";
import { withoutEmpty } from "../address.ts";
import { askApi } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { leaveNotice } from "../notice.ts";
import { Empty, Pager, Panel } from "../parts/blocks.tsx";
import { KeptChoice, KeptField, KeptSelect } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Given, Nothing, Time } from "../parts/show.tsx";
import { readRefused } from "../refusal.ts";
import { SettingsHead } from "./tabs.tsx";

const place = "/settings/erasures";
const form = "erase";
const rowsPerPage = 50;

/** What a person typed. Never in an address: those are logged, and what is here is to be forgotten. */
interface Typed {
  account: string;
  kind: string;
  value: string;
  reason: string;
}

export function addErasures(web: Web): void {
  addPage(web, place, ["reconcile:read"], (c, visitor) => showErasures(web, c, visitor));

  addErasing(web, "preview", async (c, visitor, typed) => {
    const json = subjectOf(typed);
    const path = "/v1/erasures/preview";
    const preview = await askApi<ShownErasurePreview>(web, c, visitor, path, { json });
    return showErasures(web, c, visitor, { typed, preview });
  });

  addErasing(web, "propose", async (c, visitor, typed) => {
    const json = { ...subjectOf(typed), reason: typed.reason };
    await askApi(web, c, visitor, "/v1/erasures", { json });
    leaveNotice(c, "Proposed. Nothing is erased before another person approves it.");
    return c.redirect(place, 303);
  });
}

/** A refusal shows what was typed in its own answer. Not in a cookie, as elsewhere: the browser is not to keep it either. */
function addErasing(
  web: Web,
  verb: "preview" | "propose",
  act: (c: WebContext, visitor: Visitor, typed: Typed) => Promise<Response>,
): void {
  addAction(web, `${place}/${verb}`, ["reconcile:write"], async (c, visitor, sent) => {
    try {
      return await act(c, visitor, readTyped(sent));
    } catch (error) {
      const refused = readRefused(sent, error);
      if (refused === null || !(error instanceof ProblemError)) throw error;
      c.status(error.problem.status);
      return showErasures(web, c, { ...visitor, refused });
    }
  });
}

function readTyped(sent: FormData): Typed {
  const text = (name: string) => textOf(sent, name);
  return { account: text("account"), kind: text("kind"), value: text("value"), reason: text("reason") };
}

function subjectOf({ account, kind, value }: Typed) {
  return { ...(account === "" ? {} : { account }), kind, value };
}

interface Looked {
  typed: Typed;
  preview: ShownErasurePreview;
}

async function showErasures(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  looked: Looked | null = null,
): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const [{ rows, pager }, { accounts }] = await Promise.all([
    listPage({ path: place, address, limit: rowsPerPage }, approvalPaging, (page) =>
      listErasures(visitor.reader, page),
    ),
    choicesFor(web, visitor),
  ]);
  return show(web, c, visitor, {
    title: "Erasures",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at={place} />
        {may(visitor, "reconcile:write") && (
          <Panel title="Erase personal data" id="erase-title">
            <p>
              Replaces a customer's wallet, or the personal data of one transaction, everywhere and
              permanently. Amounts, dates and ids stay. Another person has to approve it.
            </p>
            <EraseForm visitor={visitor} accounts={accounts} typed={looked?.typed ?? null} />
            {looked !== null && <Preview preview={looked.preview} />}
          </Panel>
        )}
        <Panel title="Erasures" id="erasures-title">
          {rows.length === 0 ? (
            <Empty title="Nothing has been erased yet">Proposed and completed erasures appear here.</Empty>
          ) : (
            <>
              <ErasureTable rows={rows.map((row) => erasure.present(row))} zone={visitor.preferences.zone} />
              <Pager {...pager} shown={`${rows.length} shown`} />
            </>
          )}
        </Panel>
      </>
    ),
  });
}

interface EraseFormProps {
  visitor: Visitor;
  accounts: readonly string[];
  typed: Typed | null;
}

function EraseForm({ visitor, accounts, typed }: EraseFormProps) {
  const of = { visitor, form };
  const kinds = [
    ["wallet", "Wallet"],
    ["transaction", "Transaction"],
  ] as const;
  return (
    <PostForm visitor={visitor} action={`${place}/preview`} id={form} back={place} autocomplete="off">
      <KeptChoice
        {...of}
        name="account"
        label="Account"
        options={accounts}
        begin={typed?.account ?? accounts[0]}
      />
      <KeptSelect {...of} name="kind" label="What" options={kinds} begin={typed?.kind} />
      <KeptField
        {...of}
        name="value"
        label="Address or transaction ID"
        required
        maxlength={200}
        begin={typed?.value}
      />
      <button type="submit" class="secondary">
        Preview
      </button>
      <KeptField {...of} name="reason" label="Reason" maxlength={500} begin={typed?.reason} />
      <button type="submit" formaction={`${place}/propose`}>
        Propose
      </button>
    </PostForm>
  );
}

function Preview({ preview }: { preview: ShownErasurePreview }) {
  const months = preview.closed_months;
  return (
    <div role="status">
      <p>
        Would be erased of {preview.kind} <Given text={preview.named} mono />:{" "}
        <Counts counts={preview.counts} />
      </p>
      {months.length > 0 && (
        <p class="warning">
          <strong>{months.join(", ")}</strong>: signed with data that would be erased. The pack of{" "}
          {months.length === 1 ? "this month" : "each of these months"} can no longer be made or downloaded
          afterwards. Download it first.
        </p>
      )}
    </div>
  );
}

function Counts({ counts }: { counts: Readonly<Record<string, number>> }) {
  const some = Object.entries(counts).filter(([, rows]) => rows > 0);
  if (some.length === 0) return <>nothing was found</>;
  return <>{some.map(([what, rows]) => `${what.replaceAll("_", " ")}: ${rows}`).join(", ")}</>;
}

function ErasureTable({ rows, zone }: { rows: readonly ShownErasure[]; zone: string }) {
  return (
    <ListTable
      label="Erasures"
      caption={`Newest first. Times in ${zone}.`}
      rows={rows}
      columns={[
        {
          title: "What",
          rowName: ({ kind, named }) => (
            <>
              {kind} <Given text={named} mono />
            </>
          ),
        },
        { title: "Account", show: ({ account }) => <Given text={account} /> },
        { title: "Reaches", show: ({ counts }) => <Counts counts={counts} /> },
        {
          title: "Closed months",
          show: ({ closed_months: months }) => (months.length === 0 ? <Nothing /> : months.join(", ")),
        },
        { title: "Reason", show: ({ reason }) => <Given text={reason} /> },
        {
          title: "Proposed",
          show: (row) => (
            <>
              <Given text={row.proposed_by_name} /> <Time at={row.proposed_at} zone={zone} />
            </>
          ),
        },
        {
          title: "State",
          show: ({ state }) =>
            state === "proposed" ? (
              <a href="/approvals">waits for approval</a>
            ) : (
              <Chip tone={approvalTones[state]}>{state === "approved" ? "erased" : state}</Chip>
            ),
        },
        {
          title: "Decided",
          show: (row) => (
            <>
              <Given text={row.decided_by_name} /> <Time at={row.decided_at} zone={zone} />
            </>
          ),
        },
      ]}
    />
  );
}
