const shortcuts = [
  ["/", "find a transaction"],
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["e", "resolve the discrepancy that is open"],
  ["?", "this help"],
] as const;

export function ShortcutHelp() {
  return (
    <dialog id="shortcuts" aria-labelledby="shortcuts-title">
      <h2 id="shortcuts-title">Keyboard</h2>
      <table>
        <caption class="unseen">Keyboard shortcuts</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Does</th>
          </tr>
        </thead>
        <tbody>
          {shortcuts.map(([key, does]) => (
            <tr>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>Single keys can be turned off in the menu “View”.</p>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
