import type { PropsWithChildren } from "hono/jsx";
import type { Visitor } from "../deps.ts";
import { FormToken } from "./blocks.tsx";

interface PostFormProps {
  visitor: Visitor;
  action: string;
  /** Tells the forms of a screen apart, so that a refusal appears in the form that sent it. */
  id: string;
  /** Where to go afterwards, and where a refusal is shown. */
  back: string;
  class?: string;
  /** `off`: the browser is not to remember what was typed. */
  autocomplete?: "off";
  [more: `data-${string}` | `hx-${string}`]: string | true | undefined;
}

/** A form that changes something. When it is refused, the reason stands in it, and what was typed is still there. */
export function PostForm({
  visitor,
  action,
  id,
  back,
  class: kind = "row-form",
  children,
  ...more
}: PropsWithChildren<PostFormProps>) {
  const refused = visitor.refused?.form === id ? visitor.refused : null;
  return (
    <form method="post" action={action} id={id} class={kind} {...more}>
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="form" value={id} />
      <input type="hidden" name="back" value={back} />
      {refused !== null && (
        // It takes the focus, and so comes into view: the form may stand far down on its screen.
        <div class="form-error" role="alert" tabindex={-1} autofocus>
          <p>{refused.message}</p>
        </div>
      )}
      {children}
    </form>
  );
}

/** What was typed into a field of a form that was refused; otherwise what it shows to begin with. */
export function kept(visitor: Visitor, form: string, name: string, otherwise = ""): string {
  return visitor.refused?.form === form ? (visitor.refused.fields[name]?.[0] ?? otherwise) : otherwise;
}

/** Which boxes of a form that was refused were ticked; otherwise those that are to begin with. */
export function keptTicks(
  visitor: Visitor,
  form: string,
  name: string,
  otherwise: readonly string[] = [],
): readonly string[] {
  return visitor.refused?.form === form ? (visitor.refused.fields[name] ?? []) : otherwise;
}
