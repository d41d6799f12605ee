import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SentFromElsewhere {
  /** 0 when the service closed the connection before it had answered. */
  status: number;
  text: string;
  /** The most processor time that the service took between two answers of `/livez`. */
  longestWaitMs: number;
}

interface Request {
  headers: Record<string, string>;
  body: string;
}

/** From here on the others would notice that somebody sent something. */
const noticedMs = 100;

/**
 * Sends a body from another process, and asks `/livez` of the service in this one meanwhile. Waiting is counted in
 * processor time of this thread: by the clock, a test on a busy machine would wait for the machine. A wait is
 * believed when it comes three times: what a body causes it causes every time, while a machine that is shared with
 * others may charge this thread for a moment in which it stood still.
 */
export async function sendFromElsewhere(
  url: string,
  path: string,
  request: Request,
): Promise<SentFromElsewhere> {
  let sent = await sendOnce(url, path, request);
  for (let again = 0; again < 2 && sent.longestWaitMs >= noticedMs; again += 1)
    sent = await sendOnce(url, path, request);
  return sent;
}

async function sendOnce(url: string, path: string, request: Request): Promise<SentFromElsewhere> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-hostile-"));
  try {
    const file = join(folder, "body");
    await writeFile(file, request.body);
    // What is compiled for the first time is not what others wait for later.
    for (let times = 0; times < 30; times += 1) await (await fetch(`${url}/livez`)).text();
    const child = spawn(process.execPath, ["-e", sender, url + path, file, JSON.stringify(request.headers)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (piece: Buffer) => (said += piece.toString("utf8")));
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const longestWaitMs = await askUntil(`${url}/livez`, ended);
    const { status, text } = JSON.parse(said) as { status: number; text: string };
    return { status, text, longestWaitMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function askUntil(address: string, ended: Promise<void>): Promise<number> {
  const state = { over: false };
  void ended.then(() => (state.over = true));
  let longest = 0;
  let answeredAt = ownMs();
  while (!state.over) {
    const answer = await fetch(address);
    await answer.text();
    if (answer.status !== 200) throw new Error(`/livez answered ${answer.status}`);
    // From answer to answer: a question that nobody has asked yet would have waited too.
    longest = Math.max(longest, ownMs() - answeredAt);
    answeredAt = ownMs();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return longest;
}

/** Of the thread that answers alone, where the system tells: what V8 collects and compiles beside it holds nobody up. */
function ownMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

const sender = `
const [url, file, headers] = process.argv.slice(1);
const { createReadStream } = require("node:fs");
const request = require("node:http").request(url, { method: "POST", headers: JSON.parse(headers) }, (answer) => {
  let text = "";
  answer.on("data", (piece) => (text += piece)).on("end", () => tell(answer.statusCode, text)).on("error", () => tell(answer.statusCode, text));
});
const tell = (status, text) => { process.stdout.write(JSON.stringify({ status, text })); process.exitCode = 0; tell.done = true; request.destroy(); };
request.on("error", () => tell.done || tell(0, ""));
createReadStream(file).pipe(request);
`;
