import type { Visitor } from "../deps.ts";
import { Panel } from "./blocks.tsx";
import { Button } from "./button.tsx";
import { ReasonField } from "./reason-field.tsx";
import { PostForm } from "./post-form.tsx";

interface WithdrawPanelProps {
  visitor: Visitor;
  /** The screen of the file's kind, such as `/statements`. */
  under: string;
  id: number;
  /** As the button calls it. */
  what: string;
}

/** Takes an imported file back as a whole. */
export function WithdrawPanel({ visitor, under, id, what }: WithdrawPanelProps) {
  return (
    <Panel title="Withdraw" id="withdraw">
      <p>Withdraws the whole file: matches that depend only on it end. Nothing is deleted.</p>
      <PostForm visitor={visitor} action={`${under}/withdraw`} id="withdraw-form" back={`${under}/${id}`}>
        <input type="hidden" name="id" value={id} />
        <ReasonField visitor={visitor} form="withdraw-form" label="Why" />
        <Button kind="danger">Withdraw this {what}</Button>
      </PostForm>
    </Panel>
  );
}
