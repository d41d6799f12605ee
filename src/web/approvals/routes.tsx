import { kindsSeenBy } from "../../api/approvals/routes.ts";
import { hindranceOfProposal } from "../../access/approvals.ts";
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
import { KeptField, KeptSelect } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Given } from "../parts/show.tsx";
import { ApprovalTable } from "./table.tsx";

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
  const isForMe = (row: Approval) => hindranceOfProposal(visitor.caller, row) === null;
  const [forMe, others] = [waiting.rows.filter(isForMe), waiting.rows.filter((row) => !isForMe(row))];
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
            <ApprovalTable rows={forMe} visitor={visitor} label="Waiting for me" />
          )}
        </Panel>
        {others.length > 0 && (
          <Panel title="Waiting for someone else" id="others-title">
            <ApprovalTable rows={others} visitor={visitor} label="Waiting for someone else" />
          </Panel>
        )}
        {rows.length > 0 && (
          <Panel title="Decided" id="decided-title">
            <ApprovalTable rows={rows} visitor={visitor} label="Decided" decided />
            <Pager {...pager} shown={`${rows.length} shown`} />
          </Panel>
        )}
        {limits.length > 0 && <Limits limits={limits} visitor={visitor} />}
      </>
    ),
  });
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
