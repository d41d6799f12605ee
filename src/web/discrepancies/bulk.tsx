import { createHash } from "node:crypto";
import { counted } from "../../core/counted.ts";
import { dated } from "../../api/discrepancies/booked-at.ts";
import { problem } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import { changeDiscrepancies, type SeenDiscrepancy } from "../../store/books/discrepancy-changes.ts";
import { listDiscrepancies, totalDiscrepancies } from "../../store/books/discrepancy-reads.ts";
import { listActiveNames } from "../../store/people/people.ts";
import { addAction, addPage } from "../add-page.tsx";
import { localPath, withoutEmpty } from "../address.ts";
import type { Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { Empty, Panel, TitleRow } from "../parts/blocks.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { Button, EnterDoesNothing } from "../parts/button.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { KeptChoice } from "../parts/kept-fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Count } from "../parts/show.tsx";
import { describe, undoOf } from "./outcome.ts";
import { filterWords, readDiscrepancyFilters } from "./query.ts";
import { readChange } from "./read-change.ts";

/** Each has its event and its audit entry, all in one database transaction. */
const bulkMax = 1_000;
const allAtOnce = { limit: bulkMax, after: null };

/** One decision about all that match a filter: first how many, and how much. */
export function addBulk(web: Web): void {
  addPage(web, "/discrepancies/bulk", ["reconcile:write"], async (c, visitor) => {
    const address = withoutEmpty(new URL(c.req.url).searchParams);
    address.delete("cursor");
    const filters = readDiscrepancyFilters(address);
    const [totals, matching] = await Promise.all([
      totalDiscrepancies(visitor.reader, filters),
      listDiscrepancies(visitor.reader, filters, allAtOnce),
    ]);
    const seeing = [...new Set(matching.rows.map(({ account }) => account))];
    const people = await listActiveNames(visitor.reader, { seeing });
    const count = totals.reduce((sum, row) => sum + row.discrepancies, 0);
    const query = address.toString();
    return show(web, c, visitor, {
      title: "All that match the filters",
      under: "/discrepancies",
      children: (
        <>
          <TitleRow title="All that match the filters">
            <a href={`/discrepancies?${query}`}>Back to the queue</a>
          </TitleRow>
          {count === 0 ? (
            <Empty title="Nothing matches this filter">
              <a href="/discrepancies">Show all discrepancies</a>
            </Empty>
          ) : (
            <Panel
              title={`${counted(count, "discrepancy", "discrepancies")}: ${filterWords(address)}`}
              id="bulk-title"
            >
              <ListTable
                label="Total value"
                caption="Value by currency; currencies are never added together."
                class="keep"
                rows={totals}
                columns={[
                  { title: "Currency", rowName: ({ currency }) => currency ?? "without a value" },
                  { title: "Discrepancies", figures: (row) => <Count of={row.discrepancies} /> },
                  { title: "Value", money: ({ value, currency }) => ({ amount: value, currency }) },
                ]}
              />
              {count > bulkMax ? (
                <p class="warning">
                  At most {formatCount(bulkMax)} at once: narrow the filter, for example to one provider.
                </p>
              ) : (
                <PostForm
                  visitor={visitor}
                  action="/discrepancies/bulk"
                  id="bulk"
                  back={`/discrepancies/bulk?${query}`}
                >
                  <input type="hidden" name="query" value={query} />
                  <input type="hidden" name="shown" value={digestOf(matching.rows)} />
                  <EnterDoesNothing />
                  <ReasonField visitor={visitor} form="bulk" optional />
                  <BookedAtField visitor={visitor} form="bulk" />
                  <Button name="action" value="resolve">
                    Resolve {formatCount(count)}
                  </Button>
                  <Button name="action" value="investigate" kind="secondary">
                    Investigate
                  </Button>
                  <KeptChoice
                    visitor={visitor}
                    form="bulk"
                    name="owner"
                    label="Owner"
                    any="Unassigned"
                    options={people.map(({ name }) => name)}
                    begin={visitor.name}
                  />
                  <Button name="action" value="assign" kind="secondary">
                    Assign {formatCount(count)}
                  </Button>
                </PostForm>
              )}
            </Panel>
          )}
        </>
      ),
    });
  });

  addAction(web, "/discrepancies/bulk", ["reconcile:write"], async (c, visitor, form) => {
    const query = textOf(form, "query");
    const asked = readChange(form, visitor);
    const filters = readDiscrepancyFilters(new URLSearchParams(query));
    const { rows } = await listDiscrepancies(visitor.reader, filters, allAtOnce);
    const seen = rows.map(({ id, version }): SeenDiscrepancy => ({ id, version }));
    if (digestOf(seen) !== textOf(form, "shown")) {
      throw problem(
        "version_mismatch",
        `${formatCount(seen.length)} match now, and not all of them are as they were shown. Check them and decide again.`,
      );
    }
    const ids = seen.map(({ id }) => id);
    const change = await dated(web.api, visitor.reader, ids, asked);
    const author = authorOf(c, visitor.caller);
    const outcome = await changeDiscrepancies(web.api.deps.database, visitor.reader, seen, change, author);
    leaveNotice(c, describe(outcome, change), undoOf(seen, outcome, change, null, ""));
    return c.redirect(localPath(`/discrepancies?${query}`), 303);
  });
}

/** As many as before may be others: the decision is about these, each in its version. */
function digestOf(seen: readonly SeenDiscrepancy[]): string {
  const each = seen.map(({ id, version }) => `${id}:${version}`).toSorted();
  return createHash("sha256").update(each.join(" ")).digest("base64url");
}
