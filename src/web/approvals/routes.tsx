import { kindsSeenBy } from "../../api/approvals/routes.ts";
import { approvalTones } from "../parts/approval-tones.ts";
import { presentApproval } from "../../api/approvals/schema.ts";
import { scopeToDecide } from "../../access/approvals.ts";
import { bookingOf } from "../../core/approvals.ts";
import { type Approval, approvalPaging, listApprovals } from "../../store/people/approvals.ts";
import { listLimits, type WriteOffLimit } from "../../store/people/write-off-limits.ts";
import { addAction, addPage } from "../add-page.tsx";
import { withoutEmpty } from "../address.ts";
import { askApi } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { reasonOf, textOf } from "../form-text.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { leaveNotice } from "../notice.ts";
import { Empty, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { EnterDoesNothing } from "../parts/button.tsx";
import { KeptField, KeptSelect } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Given, Money, Nothing, Time } from "../parts/show.tsx";

const rowsPerPage = 50;

export function addApprovals(web: Web): void {
  addPage(web, "/approvals", [], (c, visitor) => showApprovals(web, c, visitor));

  for (const verb of ["approve", "reject"] as const) {
    addAction(web, `/approvals/${verb}`, [], async (c, visitor, form) => {
      const reason = verb === "reject" ? reasonOf(form) : textOf(form, "reason");
      const path = `/v1/approvals/${encodeURIComponent(textOf(form, "id"))}/${verb}`;
      const json = reason === "" ? {} : { reason };
      const { state } = await askApi<{ state: string }>(web, c, visitor, path, { json });
      leaveNotice(c, `The proposal is ${state}.`);
      return c.redirect("/approvals", 303);
    });
  }

  addAction(
    web,
    "/approvals/limit",
    ["settings:write"],
    async (c, visitor, form) => {
      const json = Object.fromEntries(
        ["role", "currency", "amount", "reason"].map((name) => [name, textOf(form, name)]),
      );
      await askApi(web, c, visitor, "/v1/write-off-limits", { json });
      leaveNotice(c, "A lower limit applies at once; a higher one needs another person’s approval.");
      return c.redirect("/approvals", 303);
    },
    { wholeService: true },
  );
}

/** What waits for me first, then everything that was decided. */
async function showApprovals(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const kind = kindsSeenBy(visitor.caller);
  const [waiting, { rows, pager }, limits] = await Promise.all([
    listApprovals(visitor.reader, { kind, state: ["proposed"] }, { limit: 200, after: null }),
    listPage({ path: "/approvals", address, limit: rowsPerPage }, approvalPaging, (page) =>
      listApprovals(visitor.reader, { kind, state: ["approved", "rejected", "withdrawn", "lapsed"] }, page),
    ),
    may(visitor, "reconcile:read") ? listLimits(visitor.reader.database) : [],
  ]);
  const { personId } = visitor.caller;
  const forMe = waiting.rows.filter(
    (row) => row.proposedBy !== personId && may(visitor, scopeToDecide(row.kind)),
  );
  const others = waiting.rows.filter((row) => !forMe.includes(row));
  return show(web, c, visitor, {
    title: "Approvals",
    under: "/approvals",
    children: (
      <>
        <TitleRow title="Approvals" />
        <Panel title="Waiting for me" id="waiting-title">
          {forMe.length === 0 ? (
            <Empty title="Nothing needs your decision">
              Other people’s proposals that you may decide appear here.
            </Empty>
          ) : (
            <ApprovalTable rows={forMe} visitor={visitor} label="Waiting for me" act="decide" />
          )}
        </Panel>
        {others.length > 0 && (
          <Panel title="Waiting for someone else" id="others-title">
            <ApprovalTable rows={others} visitor={visitor} label="Waiting for someone else" act="withdraw" />
          </Panel>
        )}
        {rows.length > 0 && (
          <Panel title="Decided" id="decided-title">
            <ApprovalTable rows={rows} visitor={visitor} label="Decided" act={null} />
            <Pager {...pager} shown={`${rows.length} shown`} />
          </Panel>
        )}
        {limits.length > 0 && <Limits limits={limits} visitor={visitor} />}
      </>
    ),
  });
}

const kindWords: Record<Approval["kind"], string> = {
  write_off: "Write-off",
  admin_key: "Admin",
  settings: "Settings",
  reopen: "Reopen a period",
  erase: "Erase data",
};

interface ApprovalTableProps {
  rows: readonly Approval[];
  visitor: Visitor;
  label: string;
  act: "decide" | "withdraw" | null;
}

function ApprovalTable({ rows, visitor, label, act }: ApprovalTableProps) {
  const { zone } = visitor.preferences;
  return (
    <ListTable
      label={label}
      rows={rows}
      columns={[
        { title: "What", rowName: (row) => <Subject row={row} /> },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        { title: "Amount", figures: (row) => <AmountOf row={row} /> },
        { title: "Booked", show: (row) => <Booked row={row} zone={zone} /> },
        { title: "Reason", show: (row) => <Given text={row.reason} /> },
        {
          title: "Proposed",
          show: (row) => (
            <>
              <Given text={row.proposedByName} /> <Time at={row.proposedAt} zone={zone} />
            </>
          ),
        },
        act === null
          ? {
              title: "Decided",
              show: (row) => (
                <>
                  <Chip tone={approvalTones[row.state]}>{row.state}</Chip> <Given text={row.decidedByName} />{" "}
                  <Time at={row.decidedAt} zone={zone} />
                </>
              ),
            }
          : {
              title: "Actions",
              show: (row) => <Decide id={presentApproval(row).id} visitor={visitor} row={row} act={act} />,
            },
      ]}
    />
  );
}

function Subject({ row }: { row: Approval }) {
  const { kind, subject, details } = row;
  if (kind === "erase") return <Erasure details={details} />;
  const [, discrepancy] = /^dis_(\d+)$/.exec(subject) ?? [];
  return (
    <>
      {kindWords[kind]}{" "}
      {discrepancy === undefined ? (
        <Given text={subject} />
      ) : (
        <a href={`/discrepancies/${discrepancy}`}>{subject}</a>
      )}
    </>
  );
}

/** What it is, as far as it is shown at all, and how much of it there is. */
function Erasure({ details }: { details: Approval["details"] }) {
  const counts = Object.entries(details["counts"] ?? {}).filter(([, rows]) => Number(rows) > 0);
  const months = Array.isArray(details["closed_months"]) ? details["closed_months"] : [];
  return (
    <>
      {kindWords.erase} of {String(details["what"])} <Given text={String(details["named"])} mono />
      {counts.length > 0 && (
        <small> {counts.map(([what, rows]) => `${what.replaceAll("_", " ")}: ${rows}`).join(", ")}</small>
      )}
      {months.length > 0 && <small> ends the packs of {months.join(", ")}</small>}
    </>
  );
}

function AmountOf({ row: { details } }: { row: Approval }) {
  const { amount, currency } = bookingOf(details);
  return <Money amount={amount} currency={currency} />;
}

/** The day that a write-off is booked on; the approver cannot choose another. */
function Booked({ row: { kind, details }, zone }: { row: Approval; zone: string }) {
  const { bookedAt } = bookingOf(details);
  if (kind !== "write_off") return <Nothing />;
  return bookedAt === null ? <>when approved</> : <Time at={bookedAt} zone={zone} />;
}

interface DecideProps {
  id: string;
  visitor: Visitor;
  row: Approval;
  act: "decide" | "withdraw";
}

function Decide({ id, visitor, row, act }: DecideProps) {
  if (act === "withdraw" && row.proposedBy !== visitor.caller.personId) return null;
  const form = `decide-${row.id}`;
  return (
    <PostForm visitor={visitor} action="/approvals/reject" id={form} back="/approvals">
      <input type="hidden" name="id" value={id} />
      {act === "decide" && <EnterDoesNothing />}
      <KeptField
        visitor={visitor}
        form={form}
        name="reason"
        label="Reason"
        maxlength={500}
        required={act === "withdraw"}
      />
      {act === "decide" && (
        <button type="submit" formaction="/approvals/approve">
          Approve
        </button>
      )}
      <button type="submit" class="secondary">
        {act === "decide" ? "Reject" : "Withdraw"}
      </button>
    </PostForm>
  );
}

function Limits({ limits, visitor }: { limits: readonly WriteOffLimit[]; visitor: Visitor }) {
  return (
    <Panel title="Write-off limits" id="limits-title">
      <p>
        Up to this amount a role writes off alone; above it, another person approves. * is every other
        currency.
      </p>
      <ListTable
        label="Write-off limits"
        rows={limits}
        columns={[
          { title: "Role", rowName: (limit) => limit.role },
          { title: "Currency", show: (limit) => limit.currency },
          { title: "Alone up to", money: ({ amount, currency }) => ({ amount, currency, bare: true }) },
          { title: "Set by", show: (limit) => <Given text={limit.setByName} /> },
        ]}
      />
      {may(visitor, "settings:write") && visitor.caller.accountIds === null && (
        <LimitForm visitor={visitor} />
      )}
    </Panel>
  );
}

function LimitForm({ visitor }: { visitor: Visitor }) {
  const of = { visitor, form: "set-limit" };
  const roles = ["accountant", "controller"].map((role) => [role, role] as const);
  return (
    <PostForm visitor={visitor} action="/approvals/limit" id={of.form} back="/approvals">
      <KeptSelect {...of} name="role" label="Role" options={roles} />
      <KeptField {...of} name="currency" label="Currency" required maxlength={12} begin="EUR" />
      <KeptField {...of} name="amount" label="Alone up to" required maxlength={20} inputmode="decimal" />
      <KeptField {...of} name="reason" label="Reason" required maxlength={500} />
      <button type="submit">Set limit</button>
    </PostForm>
  );
}
