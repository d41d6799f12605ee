import type { PropsWithChildren } from "hono/jsx";
import type { PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { Choice, FormToken } from "../parts/blocks.tsx";

interface FormProps {
  period: PresentedPeriodDetail;
  csrf: string;
}

/** A red line needs a reason to be accepted; the others need none. */
export function PrepareForm({ period, csrf }: FormProps) {
  const red = period.checklist.lines.filter(({ state }) => state === "red");
  const isOver = period.to <= period.checklist.known_at;
  if (!isOver) return <p>The month is not over yet.</p>;
  return (
    <MonthForm action="/close/prepare" period={period} csrf={csrf}>
      <p>
        {red.length === 0
          ? "Everything is in order."
          : "A red line has to be put right, or accepted with a reason that the approver sees."}
      </p>
      {red.map(({ line, title }) => (
        <label class="grow">
          <span>Reason for accepting: {title}</span>
          <input type="text" name={`accept.${line}`} maxlength={1_000} />
        </label>
      ))}
      <button>Prepare {period.month}</button>
    </MonthForm>
  );
}

export function CarryForm({ period, csrf }: FormProps) {
  const line = period.checklist.lines.find((one) => one.line === "discrepancies");
  if (line === undefined || line.left === 0) return null;
  const providers = line.parts.filter(({ left }) => left > 0).map(({ provider }) => provider ?? "");
  return (
    <MonthForm action="/close/carry" period={period} csrf={csrf} class="row-form">
      <Choice name="provider" label="Carry forward" any="All open errors" options={providers} chosen="" />
      <label>
        <span>Owner</span>
        <input type="text" name="owner" required maxlength={200} />
      </label>
      <label class="grow">
        <span>Reason</span>
        <input type="text" name="reason" required maxlength={1_000} />
      </label>
      <button class="secondary">Carry forward</button>
    </MonthForm>
  );
}

export function ApproveForm({ period, csrf }: FormProps) {
  return (
    <MonthForm action="/close/approve" period={period} csrf={csrf} class="row-form">
      <input type="hidden" name="pack_sha256" value={period.pack_sha256 ?? ""} />
      <p class="grow">
        {period.prepared?.name} prepared it. Another person approves it: the figures are then fixed, and later
        decisions go into the next month.
      </p>
      <button>Approve and close {period.month}</button>
    </MonthForm>
  );
}

export function ReopenForm({ period, csrf }: FormProps) {
  const asked = period.reopen_asked;
  return (
    <MonthForm action="/close/reopen" period={period} csrf={csrf} class="row-form">
      <label class="grow">
        <span>Reason</span>
        <input type="text" name="reason" required maxlength={1_000} />
      </label>
      <button class="secondary">{asked === null ? "Ask to reopen" : "Agree to reopen"}</button>
    </MonthForm>
  );
}

function MonthForm({
  action,
  period,
  csrf,
  class: kind,
  children,
}: PropsWithChildren<FormProps & { action: string; class?: "row-form" }>) {
  return (
    <form method="post" action={action} class={kind}>
      <FormToken csrf={csrf} />
      <input type="hidden" name="month" value={period.month} />
      <input type="hidden" name="account" value={period.account} />
      {children}
    </form>
  );
}
