import { html } from "hono/html";
import { curlOf, examples, type Example } from "./examples.ts";
import { interfaceSection } from "./interface-section.ts";

export interface StartPageContent {
  readonly origin: string;
  readonly apiKey: string;
  /** Only one that everyone knows anyway; otherwise empty. */
  readonly apiSecret: string;
  readonly document: unknown;
  readonly hasControl: boolean;
}

/** What someone sees who opens the sandbox's address: what it is, examples to copy, a console, and the interface. */
export function startPage(content: StartPageContent) {
  const { origin, apiKey, apiSecret, document, hasControl } = content;
  const known = { origin, apiKey, apiSecret: apiSecret === "" ? "YOUR_SECRET" : apiSecret };
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Aggregator sandbox</title>
        <link rel="stylesheet" href="/sandbox/assets/start.css" />
        <script src="/sandbox/assets/console.js" defer></script>
      </head>
      <body>
        <main>
          <h1>Aggregator sandbox</h1>
          <p>
            The aggregator as a local service: both surfaces of its interface, in front of simulated
            providers. No money moves.
          </p>
          <dl>
            <dt>Current surface</dt>
            <dd><code>${origin}</code></dd>
            <dt>Legacy surface</dt>
            <dd><code>${origin}/legacy</code></dd>
            <dt>Key</dt>
            <dd><code>${apiKey}</code>, in the header <code>Authorization</code></dd>
            <dt>Secret</dt>
            <dd>
              ${apiSecret === "" ? "the one it was started with" : html`<code>${apiSecret}</code>`}, in the
              header
              <code>x-service-secret</code>, for <code>/transactions</code> only
            </dd>
            <dt>Machine-readable</dt>
            <dd><a href="/sandbox/openapi.json">openapi.json</a></dd>
            ${
              hasControl
                ? html`<dt>Control</dt>
                    <dd><code>${origin}/sandbox/control</code>: dialect, faults and orders while it runs</dd>`
                : ""
            }
          </dl>

          <h2>Console</h2>
          <form id="console">
            <div class="row">
              <label
                >Method
                <select name="method">
                  <option>GET</option>
                  <option>POST</option>
                  <option>PUT</option>
                </select></label
              >
              <input name="path" aria-label="Path" value="/quotes/usd/btc?amount=100" />
              <button type="submit">Send</button>
            </div>
            <div class="row">
              <label><input type="checkbox" name="with-key" checked /> Key</label>
              <input name="key" aria-label="Key" value="${apiKey}" autocomplete="off" />
              <label><input type="checkbox" name="with-secret" /> Secret</label>
              <input name="secret" aria-label="Secret" value="${apiSecret}" autocomplete="off" />
            </div>
            <label>Body <textarea name="body" spellcheck="false"></textarea></label>
          </form>
          <p id="answer-summary" role="status"></p>
          <pre id="answer" tabindex="0" aria-label="Answer"></pre>

          <h2>Examples</h2>
          ${examples.map((example, at) => describeExample(example, at, curlOf(example, known)))}

          <h2>Interface</h2>
          <div class="wide">${interfaceSection(document)}</div>
        </main>
      </body>
    </html>`;
}

function describeExample({ title, method, path, sends, body }: Example, at: number, curl: string) {
  const id = `example-${at}`;
  return html`<article>
    <h3>${title}</h3>
    <pre id="${id}" tabindex="0" aria-label="${title}">${curl}</pre>
    <button data-method="${method}" data-path="${path}" data-sends="${sends}" data-body="${body ?? ""}">
      Send
    </button>
    <button data-copy="${id}">Copy</button>
  </article>`;
}
