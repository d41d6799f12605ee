import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { SECOND } from "../../core/duration.ts";
import { TieoutError } from "../../core/errors.ts";
import type { Engine } from "./data-folder.ts";
import { readPassword, superuser } from "./initialise.ts";
import { isAlive, processName } from "./process-alive.ts";
import { spawnAs } from "./run-as.ts";

export interface RunningServer {
  pid: number;
  port: number;
  /** False when it ran already: started by another command, or left over by one that was killed. */
  started: boolean;
}

const readyTimeoutMs = 60 * SECOND; // recovery after a crash replays the log first
const stopTimeoutMs = 20 * SECOND;
const logBytesMax = 10 * 1024 * 1024;
const startTries = 3;

/**
 * Uses the server that runs on this cluster, or starts one, at `port` if it is still free. Listens on this machine only.
 */
export async function startServer(engine: Engine, options: { port?: number } = {}): Promise<RunningServer> {
  for (let tries = 1; ; tries++) {
    const running = await findRunning(engine);
    if (running) return { ...running, started: false };
    await rotateLog(engine.logFile);
    const port = tries === 1 && options.port ? options.port : await freePort();
    const child = spawnServer(engine, port);
    const outcome = await waitUntilReady(engine, { pid: child.pid ?? 0, port, ended: onceEnded(child) });
    if (outcome === "ready") {
      child.unref();
      return { pid: child.pid ?? 0, port, started: true };
    }
    // The port was taken in the meantime, another command started the server first, or the processes of a killed
    // server still hold its memory: all three are over in a moment.
    if (tries >= startTries) throw await startError(engine);
    await sleep(500);
  }
}

/** Ends the server with a fast shutdown: open sessions are closed, everything committed is on disk. */
export async function stopServer(server: { pid: number }): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    try {
      process.kill(server.pid, signal);
    } catch {
      return;
    }
    if (await waitUntilGone(server.pid)) return;
  }
}

/** The server that `postmaster.pid` names, if it is one and answers; a file left by a dead one is not an obstacle. */
async function findRunning(engine: Engine): Promise<{ pid: number; port: number } | null> {
  const file = join(engine.cluster, "postmaster.pid");
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!pid || !port) return null;
  const name = processName(pid);
  if (!isAlive(pid) || (name !== null && !name.startsWith("postgres"))) {
    // Postgres would refuse to start if that number now belonged to any other process of the same user.
    await rm(file, { force: true });
    return null;
  }
  const ended = pollGone(pid);
  const outcome = await waitUntilReady(engine, { pid, port, ended: ended.promise });
  ended.cancel();
  return outcome === "ready" ? { pid, port } : null;
}

function spawnServer(engine: Engine, port: number): ChildProcess {
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "", // a socket's path may be too long, and nothing needs it
    max_connections: "120",
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    jit: "off", // costs more than it saves on short queries
    timezone: "UTC",
    log_timezone: "UTC",
    ...(engine.throwAway ? { fsync: "off", full_page_writes: "off", synchronous_commit: "off" } : {}),
  };
  const log = openSync(engine.logFile, "a", 0o600);
  try {
    return spawn(
      engine.binaries.postgres,
      [
        "-D",
        engine.cluster,
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      // Detached: Ctrl-C reaches the whole group of processes, and the database must outlive those who use it.
      { ...spawnAs(engine.runAs), detached: true, stdio: ["ignore", log, log] },
    );
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(
  engine: Engine,
  server: { pid: number; port: number; ended: Promise<void> },
): Promise<"ready" | "ended"> {
  const password = await readPassword(engine.passwordFile);
  let ended = false;
  void server.ended.then(() => (ended = true));
  // Counted, not timed: the clock is the caller's, and a suspended machine must not use up the patience.
  for (let waitedMs = 0; waitedMs < readyTimeoutMs; waitedMs += 50) {
    if (ended) return "ended";
    const refusal = await tryConnect(server.port, password);
    if (refusal === null) return "ready";
    // 57P03 means starting up; a refused connection means not yet listening; anything else will not pass by itself.
    if (refusal !== "57P03" && refusal !== "ECONNREFUSED" && refusal !== "ECONNRESET") {
      throw new TieoutError(
        "engine_failed",
        `the Postgres of ${engine.cluster} (process ${server.pid}, port ${server.port}) refuses us (${refusal}): ` +
          `${engine.passwordFile} does not belong to it; restore that file, or set TIEOUT_DATA_DIR to another folder`,
      );
    }
    await sleep(50);
  }
  throw new TieoutError(
    "engine_failed",
    `the Postgres of ${engine.cluster} (process ${server.pid}) runs but does not answer: see ${engine.logFile}`,
  );
}

async function tryConnect(port: number, password: string): Promise<string | null> {
  const client = new Client({ host: "127.0.0.1", port, user: superuser, password, database: "postgres" });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? "no answer";
  } finally {
    await client.end().catch(() => undefined);
  }
}

function onceEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
}

function pollGone(pid: number): { promise: Promise<void>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (!isAlive(pid)) resolve();
    }, 50);
  });
  return { promise, cancel: () => clearInterval(timer) };
}

async function waitUntilGone(pid: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < stopTimeoutMs; waitedMs += 20) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return false;
}

async function startError(engine: Engine): Promise<TieoutError> {
  const log = await readFile(engine.logFile, "utf8").catch(() => "");
  const line =
    log.split("\n").findLast((one) => /FATAL|PANIC|ERROR|could not/.test(one)) ?? "it gave no reason";
  const reason = line.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, "");
  return new TieoutError(
    "engine_failed",
    `the Postgres of ${engine.cluster} did not start: ${whole(reason)}${mendOf(reason, engine)} (see ${engine.logFile})`,
  );
}

/** Postgres quotes a line of a file with its end, so that the closing quote stands on the next line of the log. */
function whole(reason: string): string {
  return (reason.match(/"/g)?.length ?? 0) % 2 === 0 ? reason : `${reason}"`;
}

/** What helps, where a file is damaged. */
function mendOf(reason: string, { cluster }: Engine): string {
  if (reason.includes("lock file") && /bogus data|is empty/.test(reason))
    return `: make sure that no Postgres runs on that folder, delete ${join(cluster, "postmaster.pid")}, and start again`;
  if (isDamage.test(reason))
    return ": its files are damaged, or another Postgres made them; go back to a backup with tieout backup restore";
  return "";
}

const isDamage =
  /database files are incompatible|control file|pg_control|could not locate a valid checkpoint|invalid (primary )?checkpoint|invalid page|is not a valid data directory/i;

async function rotateLog(file: string): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > logBytesMax) await rename(file, `${file}.1`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
