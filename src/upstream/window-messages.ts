import { problemsIn } from "./refusal.ts";
import { holdsStep } from "./steps.ts";

/** As much of a browser's `window` as is needed. */
export interface MessageSource {
  addEventListener(type: "message", listener: (event: WindowMessage) => void): void;
  removeEventListener(type: "message", listener: (event: WindowMessage) => void): void;
}

export interface WindowMessage {
  readonly origin: string;
  readonly data: unknown;
}

/**
 * What the frame or window of a step has to say: the next step, or why there is none. To be returned from the handlers
 * `iframe` and `redirect` of `runSteps`. Messages of other origins are not heard: any page can send one.
 */
export function nextStepMessage(window: MessageSource, url: string, signal?: AbortSignal): Promise<unknown> {
  const { origin } = new URL(url);
  return new Promise((resolve, reject) => {
    const listener = (event: WindowMessage) => {
      if (event.origin !== origin || !isAboutTheStep(event.data)) return;
      stop();
      resolve(event.data);
    };
    const giveUp = () => {
      stop();
      reject(new Error("the wait for the message has ended", { cause: signal?.reason }));
    };
    const stop = () => {
      window.removeEventListener("message", listener);
      signal?.removeEventListener("abort", giveUp);
    };
    window.addEventListener("message", listener);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
  });
}

/** Pages talk about other things as well, their height for example. */
function isAboutTheStep(data: unknown): boolean {
  return holdsStep(data) || (typeof data === "object" && problemsIn(data).length > 0);
}
