/** The files beside the pages: a style sheet and the one script, served by the sandbox so that the CSP can be strict. */

export const pageCss = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 32rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; }
.note { border: 1px solid; border-radius: 0.3rem; padding: 0.3rem 0.6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; }
dt { opacity: 0.7; }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.hash { overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
form { display: flex; flex-wrap: wrap; gap: 0.6rem; margin-top: 1.2rem; }
button { font: inherit; min-height: 2.5rem; padding: 0 1rem; cursor: pointer; }
`;

/** Posts the message to the window that embedded or opened this one. Which origin that is, only the client knows. */
export const stepMessageJs = `const { message } = document.getElementById("step-message").dataset;
const receiver = window.opener ?? (window.parent === window ? null : window.parent);
receiver?.postMessage(JSON.parse(message), "*");
`;
