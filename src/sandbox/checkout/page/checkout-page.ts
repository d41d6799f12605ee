import { html } from "hono/html";
import { priceEndsMs } from "../price.ts";
import { statusAt } from "../purchase.ts";
import { resultTitle, showResult } from "../steps/result.ts";
import { stepNames, type StepName } from "../steps/step.ts";
import { steps } from "../steps/steps.ts";
import { stepBefore, type Place } from "../steps/which-step.ts";
import type { Walk } from "../walk.ts";
import type { Given } from "./fields.ts";
import { sandboxBox } from "./form.ts";
import type { Html } from "./html.ts";
import { page } from "./shell.ts";
import { stages } from "./stages.ts";
import { summary, tradeLine } from "./summary.ts";

/** The page of a checkout, at one step or at its end. */
export function checkoutPage(walk: Walk, place: Place, given: Given): Html {
  const title = isStep(place) ? steps[place].title(walk) : resultTitle(walk, place);
  const content = isStep(place) ? steps[place].show(walk, given) : showResult(walk, place);
  const canStop = walk.entry.outcome === undefined && place !== "expired";
  return page(
    title,
    html`<main
      id="checkout"
      data-home="${walk.home}"
      data-place="${place}"
      data-status="${statusOf(walk)}"
      data-message="${walk.purchase.surface === "earlier" ? "" : JSON.stringify(messageOf(walk, place))}"
      data-waits="${isWaiting(place) ? "yes" : ""}"
    >
      <section class="card">
        ${stages(walk, place)} ${tradeLine(walk)}
        <h1>${title}</h1>
        ${clocks(walk, place)} ${content} ${canStop ? wayOut(walk, place) : ""}
        ${canStop && isStep(place) ? sandboxParts(walk, place) : ""}
      </section>
      <div class="side">${summary(walk)} ${canStop ? shortcuts(walk) : ""}</div>
    </main>`,
    html`${themeLink(walk)} ${refreshing(walk, place)}
      <script src="/sandbox/assets/checkout.js" defer></script>`,
  );
}

export function isStep(place: Place): place is StepName {
  return stepNames.some((name) => name === place);
}

/** Beyond the specification: messages to the embedding page at each step. Nothing in it is secret. */
export function messageOf(walk: Walk, place: Place) {
  const { entry, purchase } = walk;
  const reason = place === "failed" ? entry.outcome?.reason : undefined;
  return {
    type: "checkout.step",
    step: place,
    status: statusOf(walk),
    transactionId: purchase.transactionId,
    ...(reason === undefined ? {} : { reason }),
  };
}

export function statusOf({ entry, nowMs }: Walk): string {
  return statusAt(entry, nowMs);
}

function isWaiting(place: Place): boolean {
  return place === "review" || place === "processing";
}

/** Back to what can still be corrected, and out. */
function wayOut(walk: Walk, place: Place): Html {
  const before = isStep(place) ? stepBefore(walk, place) : null;
  return html`<div class="way-out">
    ${before === null ? "" : html`<a href="${walk.home}/${before}">Back</a>`}
    <form method="post" action="${walk.home}">
      <button class="plain" name="decision" value="cancel">Cancel</button>
    </form>
  </div>`;
}

function sandboxParts(walk: Walk, step: StepName): Html {
  const parts = steps[step].sandbox?.(walk);
  return parts === undefined ? html`` : sandboxBox(parts);
}

/** For tests and demonstrations that only need an outcome. */
function shortcuts({ home }: Walk): Html {
  return sandboxBox(
    html`<details>
      <summary>Skip to the end</summary>
      <form method="post" action="${home}">
        <button name="decision" value="pay">Pay</button>
        <button name="decision" value="fail">Let the payment fail</button>
      </form>
    </details>`,
  );
}

/** Counted down by the script; without it, the page comes again when the time is over. */
function clocks(walk: Walk, place: Place): Html {
  const { purchase, nowMs } = walk;
  if (!isStep(place) || walk.entry.outcome) return html``;
  const endsMs = showsPrice(place) ? priceEndsMs(walk) : null;
  const clock = (label: string, untilMs: number) =>
    html`<span
      >${label}
      <span class="clock" data-seconds="${secondsUntil(untilMs, nowMs)}"
        >${clockText(untilMs - nowMs)}</span
      ></span
    >`;
  return html`<p class="clocks">
    ${endsMs === null || endsMs > purchase.expiresMs ? "" : clock("Price held for", endsMs)}
    ${clock("Checkout open for", purchase.expiresMs)}
  </p>`;
}

const priced: ReadonlySet<Place> = new Set(["card", "transfer", "voucher", "approval", "deposit"]);

function showsPrice(place: Place): boolean {
  return priced.has(place);
}

function secondsUntil(untilMs: number, nowMs: number): string {
  return (Math.max(0, untilMs - nowMs) / 1000).toFixed(3);
}

function clockText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Time to read that it worked. */
const redirectSeconds = 3;

/** Without script, the page asks again until nothing more can happen, and then goes where the client wanted. */
function refreshing(walk: Walk, place: Place): Html {
  const { purchase, nowMs, home } = walk;
  if (isWaiting(place)) return withoutScript(`2;url=${home}`);
  if (isStep(place)) {
    const priceMs = showsPrice(place) ? (priceEndsMs(walk) ?? purchase.expiresMs) : purchase.expiresMs;
    const leftMs = Math.min(priceMs, purchase.expiresMs) - nowMs;
    return withoutScript(`${Math.max(1, Math.ceil(leftMs / 1000))};url=${home}`);
  }
  const url = place === "completed" ? purchase.redirectUrl : undefined;
  return url === undefined
    ? html``
    : html`<meta http-equiv="refresh" content="${redirectSeconds};url=${url}" />`;
}

function withoutScript(content: string): Html {
  return html`<noscript><meta http-equiv="refresh" content="${content}" /></noscript>`;
}

/** A file of its own, because the policy of the page lets no style in that is written into it. */
function themeLink({ purchase: { theme, sessionId } }: Walk): Html {
  return theme === undefined
    ? html``
    : html`<link rel="stylesheet" href="/sandbox/checkout/${sessionId}/theme.css" />`;
}
