import type { DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import type { Visitor } from "../deps.ts";
import { FormToken } from "../parts/blocks.tsx";

/** What may be done with a discrepancy. Each form carries the version on the screen: a later one is not overwritten. */
export function ChangeForms({
  row,
  address,
  visitor,
}: {
  row: DiscrepancyRow;
  address: URLSearchParams;
  visitor: Visitor;
}) {
  const isOpen = row.state === "open" || row.state === "investigating";
  const query = address.toString();
  const hidden = (
    <>
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="seen" value={`${row.id}:${row.version}`} />
      <input type="hidden" name="back" value={`/discrepancies/${row.id}${query === "" ? "" : `?${query}`}`} />
    </>
  );
  return (
    <div class="change-forms">
      {isOpen ? (
        <form method="post" action="/discrepancies/change" class="row-form">
          {hidden}
          <label class="grow">
            <span>Reason</span>
            <input type="text" name="reason" required maxlength={500} data-key="e" />
          </label>
          <button name="action" value="resolve">
            Resolve
          </button>
          <button name="action" value="write_off" class="secondary">
            Write off
          </button>
        </form>
      ) : (
        <form method="post" action="/discrepancies/change" class="row-form">
          {hidden}
          <button name="action" value="reopen">
            Reopen
          </button>
        </form>
      )}
      <form method="post" action="/discrepancies/change" class="row-form">
        {hidden}
        <label class="grow">
          <span>Owner</span>
          <input type="text" name="owner" value={row.owner ?? ""} maxlength={100} />
        </label>
        <button name="action" value="assign" class="secondary">
          Assign
        </button>
        <button name="action" value="take" class="secondary">
          Take
        </button>
        {row.state === "open" && (
          <button name="action" value="investigate" class="secondary">
            Investigate
          </button>
        )}
      </form>
      <form method="post" action="/discrepancies/change" class="row-form">
        {hidden}
        <label class="grow">
          <span>Comment</span>
          <input type="text" name="comment" required maxlength={2_000} />
        </label>
        <button name="action" value="comment" class="secondary">
          Comment
        </button>
      </form>
    </div>
  );
}
