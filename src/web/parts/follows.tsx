import type { PropsWithChildren } from "hono/jsx";
import type { WebContext } from "../deps.ts";
import { longWaitMs, shortWaitMs } from "../kept-figures.ts";
import { Empty } from "./blocks.tsx";

/** The least a screen waits for a figure, however long the rest of it took. */
const leastWaitMs = 10;

interface ScreenPatience {
  /** What is left of it now: time that the screen has already spent is deducted. */
  readonly waitMs: number;
  readonly isLong: boolean;
}

/** How long a screen waits for its figures: `wait=true` asks for those that were missing, and for them alone. */
export function patienceOf(c: WebContext): ScreenPatience {
  const isLong = c.req.query("wait") === "true";
  const endsAt = performance.now() + (isLong ? longWaitMs : shortWaitMs);
  return {
    get waitMs() {
      return Math.max(leastWaitMs, endsAt - performance.now());
    },
    isLong,
  };
}

interface FollowsProps {
  /** Of this part, and of the same part in the answer. */
  id: string;
  /** Where the whole of it is, if it is not here yet. An answer that was waited for has `null`: asking again may not end. */
  from: string | null;
  /** What else of the answer takes its place on the screen. */
  along?: string;
}

/**
 * A part of a screen that is not waited for: what is known stands here at once, and the rest takes its place as soon as it
 * is there. Without script a link leads to the screen that waits for it.
 */
export function Follows({ id, from, along, children }: PropsWithChildren<FollowsProps>) {
  if (from === null) return <div id={id}>{children}</div>;
  return (
    <div
      id={id}
      class="follows"
      aria-busy="true"
      hx-get={from}
      hx-trigger="load"
      hx-select={`#${id}`}
      hx-select-oob={along}
      hx-swap="outerHTML"
    >
      {children}
      <noscript>
        <p>
          <a href={from}>Show the figures that are still being calculated</a>
        </p>
      </noscript>
    </div>
  );
}

/** Takes the place of figures that are not ready. If even the long wait was not enough, the screen does not ask again. */
export function StillCalculating({ isLong }: { isLong: boolean }) {
  const text = isLong
    ? "This takes long. Load the page again in a moment."
    : "The figures appear here as soon as they are ready.";
  return (
    <div data-until-fetched>
      <Empty title="Still being calculated">{text}</Empty>
    </div>
  );
}
