import { Chip, Given, Money, Nothing, Time } from "./show.tsx";
import { formatAmount } from "../format.ts";
import { ListTable } from "./list-table.tsx";

export interface Amount {
  amount: string | null;
  currency: string | null;
}

export type ComparedField = {
  name: string;
  /** A discrepancy says so: then it differs, whatever can be seen of it here. */
  isFound?: boolean;
} & (
  | { kind: "text" | "note"; ours: string | null; theirs: string | null }
  | { kind: "money"; ours: Amount; theirs: Amount; difference: string | null }
  | { kind: "time"; ours: string | null; theirs: string | null; zone: string }
);

/** Two sides of one event. What differs has a word, a sign and a colour. */
export function SideBySide({ caption, fields }: { caption: string; fields: readonly ComparedField[] }) {
  return (
    <ListTable
      label={caption}
      caption={caption}
      class="compare"
      rows={fields}
      rowAttributes={(field) => (verdictOf(field) === "differs" ? { class: "differs" } : {})}
      columns={[
        { title: "Field", rowName: (field) => field.name },
        { title: "Our record", show: (field) => <Side field={field} of="ours" /> },
        { title: "Statement line", show: (field) => <Side field={field} of="theirs" /> },
        { title: "Result", show: (field) => <VerdictOn field={field} /> },
      ]}
    />
  );
}

function VerdictOn({ field }: { field: ComparedField }) {
  const verdict = verdictOf(field);
  if (verdict === "not compared") return <span class="muted">not compared</span>;
  if (verdict === "agrees") return <Chip tone="good">agrees</Chip>;
  const by =
    field.kind === "money" && field.difference !== null && field.difference !== "0"
      ? ` by ${formatAmount(field.difference, field.ours.currency)}`
      : "";
  return <Chip tone="bad">differs{by}</Chip>;
}

function Side({ field, of }: { field: ComparedField; of: "ours" | "theirs" }) {
  if (field.kind === "money") return <Money {...field[of]} full />;
  const value = field[of];
  if (value === null || value === "") return <Nothing />;
  return field.kind === "time" ? (
    <Time at={value} zone={field.zone} exact />
  ) : (
    <Given text={value} mono={field.kind === "text"} />
  );
}

export type Verdict = "agrees" | "differs" | "not compared";

/** Only filled fields are compared; a chain hash with or without 0x, in either case, is one hash. */
export function verdictOf(field: ComparedField): Verdict {
  if (field.isFound) return "differs";
  if (field.kind === "note" || field.kind === "time") return "not compared";
  if (field.kind === "money") {
    if (field.difference === null) return "not compared";
    return field.difference === "0" ? "agrees" : "differs";
  }
  const { ours, theirs } = field;
  if (ours === null || theirs === null || ours === "" || theirs === "") return "not compared";
  return fold(ours) === fold(theirs) ? "agrees" : "differs";
}

function fold(value: string): string {
  const isHex = /^(0x)?[0-9a-f]{40,64}$/i.test(value) || /^[0-9a-f-]{36}$/i.test(value);
  return isHex ? value.toLowerCase().replace(/^0x/, "") : value;
}
