import type { PropsWithChildren } from "hono/jsx";

/**
 * A dialog of the browser: it keeps the focus inside, and Escape closes it. An element with `data-opens` and this id opens
 * it. Nothing may be reachable only through one: without a script no dialog opens.
 */
export function Dialog({ id, title, children }: PropsWithChildren<{ id: string; title: string }>) {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`}>
      <header class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <form method="dialog">
          <button class="secondary">Close</button>
        </form>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
