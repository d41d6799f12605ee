import { SECOND } from "../core/duration.ts";
import type { CommandContext } from "./context.ts";
import { plainIntervalMs, showLine } from "./terminal-line.ts";

export interface RunningLine {
  readonly show: (text: string) => void;
  readonly end: () => void;
}

/**
 * What a command is doing now. On a terminal, one line that redraws itself; elsewhere, such as in a log of cron, a plain line
 * every few seconds, so that a long run can be told from one that hangs. A quick run says nothing there.
 */
export function createRunningLine({ now, say }: Pick<CommandContext, "now" | "say">): RunningLine {
  if (process.stderr.isTTY) return { show: showLine, end: () => showLine("") };
  const begunMs = now();
  let current = "";
  const timer = setInterval(() => {
    if (current !== "") say(`${current} (${Math.round((now() - begunMs) / SECOND)} s)`);
  }, plainIntervalMs);
  return {
    show: (text) => {
      current = text;
    },
    end: () => clearInterval(timer),
  };
}
