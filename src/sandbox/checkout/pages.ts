import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { formatInstant } from "../../core/instant.ts";
import { statusAt, statusesOf, type Decision, type JournalEntry, type Purchase } from "./purchase.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The whole page: server-rendered, no script unless one is named, nothing from another host. */
export function page(title: string, content: Html, head: Html = html``): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · sandbox</title>
        <link rel="stylesheet" href="/sandbox/assets/page.css" />
        ${head}
      </head>
      <body>
        <main>
          <p class="note">This is a sandbox. No money moves.</p>
          ${content}
        </main>
      </body>
    </html>`;
}

/** The page at a checkout's address: three buttons while it can be decided, afterwards what became of it. */
export function checkoutPage(entry: JournalEntry, nowMs: number, providerName: string): Html {
  const { purchase } = entry;
  const status = statusAt(entry, nowMs);
  const final = status === "completed" || status === "failed" || status === "canceled";
  const theme = themeLink(purchase);
  if (status === "new") {
    return page(
      "Checkout",
      html`<h1>${purchase.side === "buy" ? "Pay" : "Sell"} with ${providerName}</h1>
        ${summary(purchase)} ${decisionForm(`/sandbox/checkout/${purchase.sessionId}`)}`,
      theme,
    );
  }
  const back = status === "completed" ? purchase.redirectUrl : undefined;
  // Without script, the page asks again until nothing more can happen, and then goes where the client wanted.
  const refresh = final ? redirection(back) : html`<meta http-equiv="refresh" content="2" />`;
  return page(
    "Checkout",
    html`<h1>${headline[status] ?? status}</h1>
      ${summary(purchase)}
      <ol>
        ${statusesOf(entry)
          .filter(({ atMs }) => atMs <= nowMs)
          .map(
            (each) => html`<li><strong>${each.status}</strong> <time>${formatInstant(each.atMs)}</time></li>`,
          )}
      </ol>
      ${status === "completed" ? html`<p class="hash">${purchase.transactionHash}</p>` : ""}
      ${
        back === undefined
          ? ""
          : html`<p><a href="${back}" target="_top" rel="noreferrer">Back to the shop</a></p>`
      }`,
    html`${theme} ${refresh}`,
  );
}

/** Time to read that it worked. */
const redirectSeconds = 3;

function redirection(url: string | undefined): Html {
  return url === undefined
    ? html``
    : html`<meta http-equiv="refresh" content="${redirectSeconds};url=${url}" />`;
}

/** A file of its own, because the policy of the page lets no style in that is written into it. */
function themeLink({ theme, sessionId }: Purchase): Html {
  return theme === undefined
    ? html``
    : html`<link rel="stylesheet" href="/sandbox/checkout/${sessionId}/theme.css" />`;
}

export function summary(purchase: Purchase): Html {
  return html`<dl>
    <dt>You give</dt>
    <dd>${purchase.inAmount} ${purchase.source.toUpperCase()}</dd>
    <dt>You get</dt>
    <dd>${purchase.outAmount} ${purchase.target.toUpperCase()}</dd>
    <dt>By</dt>
    <dd>${purchase.method}</dd>
    <dt>To</dt>
    <dd>${purchase.walletAddress}</dd>
    ${
      purchase.walletMemo === undefined
        ? ""
        : html`<dt>Memo</dt>
            <dd>${purchase.walletMemo}</dd>`
    }
    <dt>Transaction</dt>
    <dd>${purchase.transactionId}</dd>
  </dl>`;
}

export function decisionForm(action: string): Html {
  return html`<form method="post" action="${action}">
    ${button("pay", "Pay")} ${button("fail", "Let the payment fail")} ${button("cancel", "Cancel")}
  </form>`;
}

function button(decision: Decision, label: string): Html {
  return html`<button name="decision" value="${decision}">${label}</button>`;
}

export function problemPage(title: string, message: string): Html {
  return page(
    title,
    html`<h1>${title}</h1>
      <p>${message}</p>`,
  );
}

const headline: Readonly<Record<string, string>> = {
  pending: "Waiting for your payment",
  paid: "Paid, delivery is under way",
  completed: "Completed",
  failed: "The payment failed",
  canceled: "Cancelled",
};
