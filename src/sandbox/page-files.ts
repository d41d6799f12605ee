/** The files beside the pages: a style sheet and the one script, served by the sandbox so that the CSP can be strict. */

/** Colours and corners are variables: a checkout's theme sets them. */
export const pageCss = `:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, sans-serif;
  --primary: light-dark(#1d4ed8, #60a5fa);
  --primary-text: light-dark(#111827, #f9fafb);
  --secondary: light-dark(#e5e7eb, #374151);
  --secondary-text: light-dark(#4b5563, #d1d5db);
  --card: light-dark(#ffffff, #111827);
  --radius: 0.5rem;
}
body { margin: 0; background: var(--card); color: var(--primary-text); }
main { max-width: 32rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; }
.note { border: 1px solid var(--secondary); border-radius: var(--radius); padding: 0.3rem 0.6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; }
dt { color: var(--secondary-text); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.hash { overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
form { display: flex; flex-wrap: wrap; gap: 0.6rem; margin-top: 1.2rem; }
button { font: inherit; min-height: 2.5rem; padding: 0 1rem; cursor: pointer; border: 1px solid var(--primary); border-radius: var(--radius); background: var(--secondary); color: var(--primary-text); }
button[value="pay"] { background: var(--primary); color: var(--card); }
`;

/** Posts the message to the window that embedded or opened this one. Which origin that is, only the client knows. */
export const stepMessageJs = `const { message } = document.getElementById("step-message").dataset;
const receiver = window.opener ?? (window.parent === window ? null : window.parent);
receiver?.postMessage(JSON.parse(message), "*");
`;
