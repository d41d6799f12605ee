import type { PropsWithChildren } from "hono/jsx";
import type { PresentedPeriodDetail } from "../../api/periods/schema.ts";
import type { Visitor } from "../deps.ts";
import { KeptChoice, KeptField, KeptSelect } from "../parts/kept-fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { periodPath } from "./parts.tsx";

interface FormProps {
  period: PresentedPeriodDetail;
  visitor: Visitor;
}

/** A red line needs a reason to be accepted; the others need none. */
export function PrepareForm({ period, visitor }: FormProps) {
  const red = period.checklist.lines.filter(({ state }) => state === "red");
  const isOver = period.to <= period.checklist.known_at;
  if (!isOver) return <p>The month is not over yet.</p>;
  return (
    <MonthForm step="prepare" period={period} visitor={visitor}>
      <p>
        {red.length === 0
          ? "Everything is in order."
          : "Resolve what blocks closing, or accept it with a reason that the approver will see."}
      </p>
      {red.map(({ line, title }) => (
        <KeptField
          visitor={visitor}
          form="month-prepare"
          name={`accept.${line}`}
          label={`Reason for accepting: ${title}`}
          class="grow"
          maxlength={1_000}
        />
      ))}
      <button>Prepare {period.month}</button>
    </MonthForm>
  );
}

export function CarryForm({ period, visitor, people }: FormProps & { people: readonly string[] }) {
  const line = period.checklist.lines.find((one) => one.line === "discrepancies");
  if (line === undefined || line.left === 0) return null;
  const providers = line.parts.flatMap(({ left, provider }) =>
    left > 0 && provider !== null ? [provider] : [],
  );
  const of = { visitor, form: "month-carry" };
  return (
    <MonthForm step="carry" period={period} visitor={visitor} class="row-form">
      <KeptChoice {...of} name="provider" label="Carry forward" any="All open errors" options={providers} />
      <KeptSelect
        {...of}
        name="owner"
        label="Owner"
        options={people.map((name) => [name, name])}
        begin={visitor.name}
      />
      <ReasonField {...of} />
      <button class="secondary">Carry forward</button>
    </MonthForm>
  );
}

export function ApproveForm({ period, visitor }: FormProps) {
  return (
    <MonthForm step="approve" period={period} visitor={visitor} class="row-form">
      <input type="hidden" name="pack_sha256" value={period.pack_sha256 ?? ""} />
      <p class="grow">
        {period.prepared?.name} prepared it. Another person approves it: the figures are then fixed, and later
        decisions go into the next month.
      </p>
      <button>Approve and close {period.month}</button>
    </MonthForm>
  );
}

export function ReopenForm({ period, visitor, button }: FormProps & { button: string }) {
  return (
    <MonthForm step="reopen" period={period} visitor={visitor} class="row-form">
      <ReasonField visitor={visitor} form="month-reopen" />
      <button class="secondary">{button}</button>
    </MonthForm>
  );
}

function MonthForm({
  step,
  period,
  visitor,
  class: kind = "",
  children,
}: PropsWithChildren<FormProps & { step: string; class?: string }>) {
  return (
    <PostForm
      visitor={visitor}
      action={`/close/${step}`}
      id={`month-${step}`}
      back={periodPath(period)}
      class={kind}
    >
      <input type="hidden" name="month" value={period.month} />
      <input type="hidden" name="account" value={period.account} />
      {children}
    </PostForm>
  );
}
