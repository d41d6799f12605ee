import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openFolder } from "./open-folder.ts";
import { waitFor } from "./wait-for.ts";

const program = resolve("dist/tieout.js");

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  output(): { stdout: string; stderr: string };
  /** Waits for a line on stderr. */
  says(pattern: RegExp, options?: { timeoutMs?: number }): Promise<RegExpExecArray>;
  /** The address that it serves, once it says that it is ready. */
  ready(): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  finished: Promise<Finished>;
}

/** The built program as a person starts it: a process of its own, with only the environment that is given. */
export function startTieout(args: string[], env: Record<string, string> = {}): Running {
  return startProcess(process.execPath, [program, ...args], env);
}

export async function runTieout(args: string[], env: Record<string, string> = {}): Promise<Finished> {
  return startTieout(args, env).finished;
}

export function startProcess(command: string, args: string[], env: Record<string, string>): Running {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, as a terminal gives it: a signal can then reach npm and the program it runs alike.
    detached: true,
  });
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString("utf8")));
  const finished = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  const says: Running["says"] = (pattern, options) =>
    waitFor(
      `it says ${pattern}`,
      () => {
        const found = pattern.exec(output.stderr);
        if (!found && child.exitCode !== null)
          throw new Error(`it ended with ${child.exitCode}: ${output.stderr}`);
        return found;
      },
      { timeoutMs: 60_000, ...options },
    );
  const running: Running = {
    child,
    output: () => ({ ...output }),
    says,
    ready: async () => (await says(/Ready: open (\S+)/))[1] ?? "",
    stop: async (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
      return finished;
    },
    finished,
  };
  started.set(running, env["TIEOUT_DATA_DIR"] ?? "");
  child.once("close", () => started.delete(running));
  return running;
}

/** What runs now, with its data folder. */
const started = new Map<Running, string>();

/** A data folder for one test, removed together with what a root-only start kept elsewhere. */
export async function withDataDir<T>(use: (dataDir: string) => Promise<T>): Promise<T> {
  const folder = await openFolder("tieout-data-");
  try {
    return await use(join(folder, "data"));
  } catch (error) {
    // A process left running would go on writing: its folder could not be removed, and that error would hide the test's own.
    const left = [...started].filter(([, dataDir]) => dataDir.startsWith(folder));
    await Promise.all(left.map(([running]) => running.stop("SIGINT")));
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
