import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { freePort } from "./free-port.ts";
import { waitFor } from "./wait-for.ts";

export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

/** A Redis of our own on a free port, or `null` when the machine has none. */
export async function startRedis(
  folder: string,
  flags: string[] = [],
  port?: number,
): Promise<TestRedis | null> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return null;
  const listenPort = port ?? (await freePort());
  const settings = ["--port", String(listenPort), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const child = spawn("redis-server", [...settings, ...flags], { stdio: "ignore" });
  const url = `redis://127.0.0.1:${listenPort}`;
  await waitFor("Redis answers", () => answers(listenPort));
  return {
    url,
    stop: async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Any answer will do: one that asks for a password is an answer too. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write("PING\r\n"));
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("data", () => end(true));
    socket.once("error", () => end(false));
  });
}
