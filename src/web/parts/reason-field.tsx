import type { Visitor } from "../deps.ts";
import { kept } from "./post-form.tsx";

interface ReasonFieldProps {
  visitor: Visitor;
  /** The form that it stands in. */
  form: string;
  label?: string;
  /** What it says before anything is typed. */
  begin?: string;
  /** The key that leads to it. */
  hotkey?: string;
  /** Some buttons of its form need no reason. */
  optional?: boolean;
}

/** Why something is done: kept on record, and still there when the form is refused. */
export function ReasonField({ visitor, form, label = "Reason", begin, hotkey, optional }: ReasonFieldProps) {
  return (
    <label class="grow">
      <span>{label}</span>
      <input
        type="text"
        name="reason"
        required={optional !== true}
        maxlength={500}
        value={kept(visitor, form, "reason", begin)}
        data-key={hotkey}
      />
    </label>
  );
}
