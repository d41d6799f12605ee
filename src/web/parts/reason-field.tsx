import type { Visitor } from "../deps.ts";
import { kept } from "./post-form.tsx";

/** Why somebody does it, which stays with what they did. */
export function ReasonField({ visitor, form, label }: { visitor: Visitor; form: string; label: string }) {
  return (
    <label class="grow">
      <span>{label}</span>
      <input type="text" name="reason" required maxlength={500} value={kept(visitor, form, "reason")} />
    </label>
  );
}
