import { html } from "hono/html";
import type { Step } from "./step.ts";

/** Nothing to do but wait; the page asks by itself. */
export const review: Step = {
  title: () => "We are checking your documents",
  show: ({ provider }) =>
    html`<p class="waiting" role="status">
      ${provider.displayName} is looking at what you sent. This page goes on by itself when it is done.
    </p>`,
};
