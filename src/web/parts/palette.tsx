import { Dialog } from "./dialog.tsx";

/** Ctrl-K: find anything, or go to a screen. The field in the header does the same without a script. */
export function Palette({ screens }: { screens: readonly { path: string; title: string }[] }) {
  return (
    <Dialog id="palette" title="Find or go to">
      <form action="/find" method="get">
        <input
          type="search"
          name="q"
          maxlength={200}
          required
          autocomplete="off"
          aria-label="Find anything by its id, hash, reference or amount"
          placeholder="Id, hash, reference, amount, or a screen"
          hx-get="/find"
          hx-trigger="input changed delay:200ms"
          hx-target="#palette-found"
          hx-select="#found > *"
          hx-swap="innerHTML"
          hx-sync="this:replace"
          data-palette
        />
      </form>
      <div id="palette-found" aria-live="polite"></div>
      <ul class="hits" data-palette-screens>
        {screens.map(({ path, title }) => (
          <li>
            <a href={path}>{title}</a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
