import type { settingsPreview } from "../../../api/provider-settings/schema.ts";
import { counted } from "../../../core/counted.ts";
import { formatCount } from "../../format.ts";
import { transactionPath } from "../../transactions/columns.tsx";
import { Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { codeWords } from "../../parts/discrepancy.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Chip, Given, GivenLink, Nothing } from "../../parts/show.tsx";

/** What would come of new settings, as the API tells it. */
export type ShownPreview = ReturnType<typeof settingsPreview.present>;

type Sum = ShownPreview["classes"]["before"][number];

/** As long a list as people read; the counts above it are of all. */
const rowsShown = 25;

export type PreviewOutcome = { kind: "found"; found: ShownPreview } | { kind: "too_slow"; detail: string };

/** Gained and lost, before and after; and the button that saves. */
export function SettingsOutcome({ outcome, form }: { outcome: PreviewOutcome; form: string }) {
  return (
    <Panel title="What saving would change" id="outcome">
      <div tabindex={-1} autofocus id="outcome-text">
        {outcome.kind === "too_slow" ? (
          <p class="warning">No preview: {outcome.detail}</p>
        ) : (
          <Found found={outcome.found} />
        )}
      </div>
      <Button form={form} formaction="/settings/providers/save" data-key="s">
        Save settings
      </Button>
    </Panel>
  );
}

function Found({ found }: { found: ShownPreview }) {
  const { matches, discrepancies, changes, account } = found;
  const pairs = [
    ...found.gained.map((pair) => ({ ...pair, change: "gained" as const })),
    ...found.lost.map((pair) => ({ ...pair, change: "lost" as const })),
  ].slice(0, rowsShown);
  return (
    <>
      <p>
        Nothing is saved yet. <strong>{counted(matches.gained, "match", "matches")} gained</strong>,{" "}
        <strong>{formatCount(matches.lost)} lost</strong>; discrepancies: {formatCount(discrepancies.raised)}{" "}
        raised, {formatCount(discrepancies.reopened)} open again, {formatCount(discrepancies.changed)}{" "}
        changed, {formatCount(discrepancies.agreed)} agreed.
      </p>
      <ListTable
        label="Classes before and after"
        caption="Completed transactions by class: as they are now, and as they would be."
        class="narrow"
        rows={beforeAndAfter(found.classes)}
        rowAttributes={({ differs }) => ({ class: differs ? "differs" : undefined })}
        columns={[
          { title: "Class", rowName: (row) => row.class },
          { title: "Now", figures: ({ before }) => formatCount(before.transactions) },
          { title: "Value now", money: ({ before, currency }) => ({ amount: before.amount, currency }) },
          { title: "Then", figures: ({ after }) => formatCount(after.transactions) },
          { title: "Value then", money: ({ after, currency }) => ({ amount: after.amount, currency }) },
        ]}
      />
      {pairs.length > 0 && (
        <ListTable
          label="Matches that would change"
          caption={`Matches that would change${cut(pairs.length, matches.gained + matches.lost)}`}
          rows={pairs}
          columns={[
            {
              title: "Transaction",
              rowName: ({ transaction_id }) => (
                <GivenLink href={transactionPath({ account, transaction_id })} text={transaction_id} mono />
              ),
            },
            {
              title: "Match",
              show: ({ change }) => <Chip tone={change === "gained" ? "good" : "bad"}>{change}</Chip>,
            },
            { title: "By", show: ({ rule }) => codeWords(rule) },
            { title: "Line", show: (row) => <Place fileName={row.file_name} lineNo={row.line_no} /> },
          ]}
        />
      )}
      {changes.length > 0 && (
        <ListTable
          label="Discrepancies that would change"
          caption={`Discrepancies that would change, the gravest first${cut(
            Math.min(changes.length, rowsShown),
            Object.values(discrepancies).reduce((sum, count) => sum + count, 0),
          )}`}
          rows={changes.slice(0, rowsShown)}
          columns={[
            { title: "Discrepancy", rowName: ({ code }) => codeWords(code) },
            {
              title: "Then",
              show: ({ event }) => <Chip tone={event === "agreed" ? "good" : "warn"}>{events[event]}</Chip>,
            },
            { title: "Transaction", show: (row) => <Given text={row.transaction_id} mono /> },
            { title: "Line", show: (row) => <Place fileName={row.file_name} lineNo={row.line_no} /> },
            { title: "Value", money: (row) => ({ amount: row.value, currency: row.value_currency }) },
          ]}
        />
      )}
    </>
  );
}

const events = { raised: "raised", changed: "changed", reopened: "open again", agreed: "agreed" } as const;

function Place({ fileName, lineNo }: { fileName: string | null; lineNo: number | null }) {
  if (fileName === null || lineNo === null) return <Nothing />;
  return (
    <>
      <Given text={fileName} />, line {lineNo}
    </>
  );
}

function cut(shown: number, all: number): string {
  return all > shown ? `; the first ${shown} of ${formatCount(all)}` : "";
}

const nothing = { transactions: 0, amount: "0" };

function beforeAndAfter({ before, after }: ShownPreview["classes"]) {
  const keys = [...new Set([...before, ...after].map((sum) => `${sum.currency} ${sum.class}`))].toSorted();
  return keys.map((key) => {
    const of = (sums: readonly Sum[]) =>
      sums.find((sum) => `${sum.currency} ${sum.class}` === key) ?? nothing;
    const [currency = "", kind = ""] = key.split(" ");
    const [was, will] = [of(before), of(after)];
    const differs = was.transactions !== will.transactions || was.amount !== will.amount;
    return { currency, class: kind, before: was, after: will, differs };
  });
}
