import type { DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import type { Visitor } from "../deps.ts";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { Button } from "../parts/button.tsx";
import { KeptChoice, KeptField } from "../parts/kept-fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";

/** What a partial update of the queue takes from the answer: the queue, its sum, and the notice above it. */
export const swapQueue = {
  "hx-target": "#queue",
  "hx-select": "#queue",
  "hx-select-oob": "#notice,#summary",
  "hx-swap": "outerHTML",
  "hx-push-url": "true",
} as const;

interface ChangeFormsProps {
  row: DiscrepancyRow;
  /** This screen with this item open. */
  here: string;
  /** Where to go when it is closed: the next item of the same view. */
  next: string;
  /** Who may own it. */
  people: readonly string[];
  visitor: Visitor;
}

/** What may be done with a discrepancy. Each form carries the version on the screen: a later one is not overwritten. */
export function ChangeForms({ row, here, next, people, visitor }: ChangeFormsProps) {
  const isOpen = row.state === "open" || row.state === "investigating";
  const form = (id: string) => ({
    visitor,
    id,
    back: here,
    action: "/discrepancies/change",
    "hx-post": "/discrepancies/change",
    ...swapQueue,
  });
  const seen = <input type="hidden" name="seen" value={`${row.id}:${row.version}`} />;
  return (
    <div class="change-forms">
      {isOpen ? (
        <PostForm {...form("close")}>
          {seen}
          <input type="hidden" name="next" value={next} />
          <ReasonField visitor={visitor} form="close" hotkey="e" />
          <BookedAtField visitor={visitor} form="close" />
          <Button name="action" value="resolve">
            Resolve
          </Button>
          <Button name="action" value="write_off" kind="secondary">
            Write off
          </Button>
        </PostForm>
      ) : (
        <PostForm {...form("reopen")}>
          {seen}
          <Button name="action" value="reopen" kind="secondary">
            Reopen
          </Button>
        </PostForm>
      )}
      <PostForm {...form("owner")}>
        {seen}
        <KeptChoice
          visitor={visitor}
          form="owner"
          name="owner"
          label="Owner"
          any="Unassigned"
          options={people}
          begin={row.owner ?? ""}
        />
        <Button name="action" value="assign" kind="secondary">
          Assign
        </Button>
        <Button name="action" value="take" kind="secondary">
          Assign to me
        </Button>
        {row.state === "open" && (
          <Button name="action" value="investigate" kind="secondary">
            Investigate
          </Button>
        )}
      </PostForm>
      <PostForm {...form("comment")}>
        {seen}
        <KeptField
          visitor={visitor}
          form="comment"
          name="comment"
          label="Comment"
          class="grow"
          required
          maxlength={2_000}
        />
        <Button name="action" value="comment" kind="secondary">
          Comment
        </Button>
      </PostForm>
    </div>
  );
}
