import type { PropsWithChildren } from "hono/jsx";

/** One button of a form is primary; a quiet one looks like a link, and a dangerous one says so. */
export type ButtonKind = "primary" | "secondary" | "quiet" | "danger";

interface ButtonProps {
  kind?: ButtonKind;
  type?: "submit" | "button";
  name?: string;
  value?: string;
  form?: string;
  formaction?: string;
  title?: string;
  /** For scripts and htmx. */
  [more: `data-${string}` | `hx-${string}` | `aria-${string}`]: string | true | undefined;
}

export function Button({ kind = "primary", children, ...more }: PropsWithChildren<ButtonProps>) {
  return (
    <button class={kind === "primary" ? undefined : kind} {...more}>
      {children}
    </button>
  );
}

/** Enter presses the first button of a form. This one does nothing, so Enter in a reason cannot send the decision by accident. */
export function EnterDoesNothing() {
  return <button type="submit" disabled hidden />;
}
