/** The page's one script: fills the console from an example, sends it to this very server, and shows the answer. */
export const consoleJs = `const form = document.getElementById("console");
const field = (name) => form.elements.namedItem(name);
const answer = document.getElementById("answer");
const summary = document.getElementById("answer-summary");

for (const button of document.querySelectorAll("button[data-path]")) {
  button.addEventListener("click", () => {
    field("method").value = button.dataset.method;
    field("path").value = button.dataset.path;
    field("with-key").checked = button.dataset.sends !== "nothing";
    field("with-secret").checked = button.dataset.sends === "secret";
    field("body").value = button.dataset.body ?? "";
    form.scrollIntoView({ block: "start" });
    form.requestSubmit();
  });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  summary.textContent = "Waiting …";
  answer.textContent = "";
  const started = performance.now();
  try {
    const headers = {};
    if (field("with-key").checked) headers.authorization = field("key").value;
    if (field("with-secret").checked) headers["x-service-secret"] = field("secret").value;
    const method = field("method").value;
    const body = method === "GET" ? undefined : field("body").value;
    if (body !== undefined) headers["content-type"] = "application/json";
    // Relative, because the browser may know the server by another name.
    const path = "/" + field("path").value.trim().replace(/^\\/+/, "");
    const response = await fetch(path, { method, headers, body });
    const text = await response.text();
    const took = Math.round(performance.now() - started);
    summary.textContent = response.status + " " + response.statusText + " in " + took + " ms, " + text.length + " characters";
    answer.textContent = pretty(text);
  } catch (error) {
    summary.textContent = "No answer: " + error.message;
  }
});

/** Lines and indents only: numbers keep every digit, which JSON.parse would not let them. */
function pretty(text) {
  let depth = 0;
  let inText = false;
  let out = "";
  const line = () => "\\n" + "  ".repeat(Math.max(depth, 0));
  if (!/^[\\[{]/.test(text)) return text;
  for (let at = 0; at < text.length && out.length < 200000; at++) {
    const letter = text[at];
    if (inText) {
      out += letter;
      if (letter === "\\\\") out += text[++at] ?? "";
      else if (letter === '"') inText = false;
    } else if (letter === '"') { inText = true; out += letter; }
    else if (letter === "{" || letter === "[") { depth++; out += letter + line(); }
    else if (letter === "}" || letter === "]") { depth--; out += line() + letter; }
    else if (letter === ",") out += letter + line();
    else if (letter === ":") out += ": ";
    else if (!/\\s/.test(letter)) out += letter;
  }
  return out;
}
`;

export const startCss = `:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.55 system-ui, sans-serif; }
h1 { margin-top: 0; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; }
code, pre, textarea, input { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { overflow: auto; max-height: 32rem; margin: 0.5rem 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.3rem 0.5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
summary { cursor: pointer; padding: 0.3rem 0; }
button { font: inherit; min-height: 2.25rem; padding: 0 0.9rem; cursor: pointer; }
#console { display: grid; gap: 0.6rem; }
#console .row { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; }
#console input[name="path"] { flex: 1; min-width: 14rem; min-height: 2.25rem; }
#console select { font: inherit; min-height: 2.25rem; }
textarea { width: 100%; min-height: 6rem; }
.wide { overflow-x: auto; }
`;
