import { Dialog } from "./dialog.tsx";

const shortcuts = [
  ["/", "find"],
  ["Ctrl K", "find, or go to a screen"],
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["e", "resolve the discrepancy that is open"],
  ["m", "match the line with the chosen transaction"],
  ["s", "split the line over several transactions"],
  ["u", "unmatch the line"],
  ["x", "exclude the line"],
  ["?", "this help"],
] as const;

export function ShortcutHelp() {
  return (
    <Dialog id="shortcuts" title="Keyboard">
      <dl class="keys">
        {shortcuts.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <p>Single keys can be turned off in the menu “View”.</p>
    </Dialog>
  );
}
