import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A module of this folder as a process of its own, compiled or not, like the caller; resolves with its first message. */
export async function forkBeside(
  name: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; ready: unknown }> {
  const isCompiled = import.meta.url.endsWith(".js");
  const child = fork(new URL(`./${name}.${isCompiled ? "js" : "ts"}`, import.meta.url), args, {
    execArgv: ["--expose-gc", ...(isCompiled ? [] : ["--import", "tsx"])],
  });
  const [ready] = (await once(child, "message")) as [unknown];
  return { child, ready };
}
