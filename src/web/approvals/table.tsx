import { presentApproval } from "../../api/approvals/schema.ts";
import { hindranceOfProposal, writeOffLimitIn } from "../../access/approvals.ts";
import { bookingOf } from "../../core/approvals.ts";
import type { Approval } from "../../store/people/approvals.ts";
import type { Visitor } from "../deps.ts";
import { approvalTones } from "../parts/approval-tones.ts";
import { EnterDoesNothing } from "../parts/button.tsx";
import { KeptField } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Given, Money, Nothing, Time } from "../parts/show.tsx";
import { MineGoesBack, TheirsGoesBack } from "../parts/signing-together.tsx";

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
  /** Shown with who decided, and without actions. */
  decided?: boolean;
}

export function ApprovalTable({ rows, visitor, label, decided = false }: ApprovalTableProps) {
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
        { title: "Reason", show: (row) => <Given text={row.reason} whole /> },
        {
          title: "Proposed",
          show: (row) => (
            <>
              <Given text={row.proposedByName} /> <Time at={row.proposedAt} zone={zone} />
            </>
          ),
        },
        decided
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
              show: (row) => <Actions visitor={visitor} row={row} />,
            },
      ]}
    />
  );
}

function Subject({ row }: { row: Approval }) {
  const { kind, subject, details } = row;
  if (kind === "erase") return <Erasure details={details} />;
  const [, discrepancy] = /^dis_(\d+)$/.exec(subject) ?? [];
  if (kind === "admin_key") return <AdminRight {...row} />;
  const limit = writeOffLimitIn(details);
  if (limit !== null) {
    return (
      <>
        Write-off limit of the role {limit.role}: <Money amount={limit.amount} currency={limit.currency} />
      </>
    );
  }
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

/** By name: the number says nothing to whoever decides. */
function AdminRight({ subject, details: { name, roles } }: Approval) {
  const who = <Given text={typeof name === "string" ? name : subject} />;
  return Array.isArray(roles) ? <>Admin role for {who}</> : <>Admin key {who}</>;
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

interface ActionsProps {
  visitor: Visitor;
  row: Approval;
}

function Actions({ visitor, row }: ActionsProps) {
  switch (hindranceOfProposal(visitor.caller, row)) {
    case null:
      return <Decide visitor={visitor} row={row} approves no="Reject" />;
    case "own":
      return <Decide visitor={visitor} row={row} no="Withdraw" />;
    case "mine_to_theirs":
      return <MineGoesBack name={row.proposedByName} email={visitor.email} />;
    case "theirs_to_mine":
      return (
        <>
          <TheirsGoesBack name={row.proposedByName} again="proposes this again" />
          <Decide visitor={visitor} row={row} no="Reject" />
        </>
      );
    default:
      return null;
  }
}

function Decide({ visitor, row, approves = false, no }: ActionsProps & { approves?: boolean; no: string }) {
  const form = `decide-${row.id}`;
  return (
    <PostForm visitor={visitor} action="/approvals/reject" id={form} back="/approvals">
      <input type="hidden" name="id" value={presentApproval(row).id} />
      {approves && <EnterDoesNothing />}
      <KeptField
        visitor={visitor}
        form={form}
        name="reason"
        label="Reason"
        maxlength={500}
        required={!approves}
      />
      {approves && (
        <button type="submit" formaction="/approvals/approve">
          Approve
        </button>
      )}
      <button type="submit" class="secondary">
        {no}
      </button>
    </PostForm>
  );
}
