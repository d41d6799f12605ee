import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { waitFor } from "../support/wait-for.ts";

test("a process lives until it has ended, whether or not its parent has asked for it", async () => {
  // The shell becomes a program that never asks for its children, as the first process of a container may.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [text] = (await once(parent.stdout, "data")) as [Buffer];
  const child = Number(text.toString());
  // Until then, the shell could ask for it.
  await waitFor("the shell has become a program", async () => nameOf(parent.pid) === "sleep");
  expect(isAlive(child)).toBe(true);
  process.kill(child, "SIGKILL");
  await waitFor("it has ended", async () => stateOf(child) === "Z");
  expect(isAlive(child)).toBe(false);
});

function nameOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
}

function stateOf(pid: number): string | undefined {
  return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
}
