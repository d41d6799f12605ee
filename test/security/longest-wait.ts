import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

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

/** From here on the others would notice that someone sent something. */
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
    sender ??= startSender();
    const answer = sender({ url: url + path, file, headers: request.headers });
    const longestWaitMs = await askUntil(`${url}/livez`, answer);
    const { status, text } = await answer;
    return { status, text, longestWaitMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function askUntil(address: string, ended: Promise<unknown>): Promise<number> {
  const state = { over: false };
  const end = () => (state.over = true);
  void ended.then(end, end);
  let longest = 0;
  let answeredAt = ownMs();
  for (let last = false; !last;) {
    // Once more after the end: what held up the answer to the body may have held up nothing else so far.
    last = state.over;
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

type Sender = (job: {
  url: string;
  file: string;
  headers: Record<string, string>;
}) => Promise<{ status: number; text: string }>;

/** One for all that this process sends, one after the other: starting it takes longer than what it does. */
let sender: Sender | undefined;

function startSender(): Sender {
  const child = spawn(process.execPath, ["-e", senderScript], { stdio: ["pipe", "pipe", "inherit"] });
  // It ends with its input, and so with this process, which does not wait for it.
  for (const handle of [child, child.stdin as Socket, child.stdout as Socket]) handle.unref();
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (job) => {
    child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("the process that sends has ended");
    return JSON.parse(value) as { status: number; text: string };
  };
}

const senderScript = `
const { createReadStream } = require("node:fs");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { url, file, headers } = JSON.parse(line);
  const body = createReadStream(file);
  const tell = (status, text) => {
    if (tell.done) return;
    tell.done = true;
    process.stdout.write(JSON.stringify({ status, text }) + "\\n");
    request.destroy();
    body.destroy();
  };
  const request = require("node:http").request(url, { method: "POST", headers, agent: false }, (answer) => {
    let text = "";
    answer.on("data", (piece) => (text += piece)).on("end", () => tell(answer.statusCode, text)).on("error", () => tell(answer.statusCode, text));
  });
  request.on("error", () => tell(0, ""));
  body.pipe(request);
});
`;
