import { html } from "hono/html";
import type { Html } from "./html.ts";

/** The form of a step; it is sent to the step's own address, so that going back and sending again means that step. */
export function stepForm(action: string, fields: Html, button: string): Html {
  return html`<form method="post" action="${action}" novalidate>
    ${fields}
    <button class="main">${button}</button>
  </form>`;
}

/** Buttons and test data that a real checkout would not have, marked as the sandbox's own. */
export function sandboxBox(content: Html): Html {
  return html`<div class="sandbox">
    <p class="tag">Sandbox only</p>
    ${content}
  </div>`;
}

export function testDataList(rows: readonly (readonly [what: string, about: string])[]): Html {
  return html`<dl class="test-data">
    ${rows.map(
      ([what, about]) =>
        html`<dt><code>${what}</code></dt>
          <dd>${about}</dd>`,
    )}
  </dl>`;
}

/** A button that makes something happen which the world outside would otherwise do. */
export function simulate(action: string, name: string, value: string, label: string): Html {
  return html`<form method="post" action="${action}">
    <button name="${name}" value="${value}">${label}</button>
  </form>`;
}
