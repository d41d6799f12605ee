import { afterAll, beforeAll } from "vitest";
import { countAnew } from "./count-up.ts";
import { waitFor } from "./wait-for.ts";

/** What a file may not leave open: the next one would inherit it, and the run would not end. */
const watched = ["TCPSocketWrap", "TCPServerWrap", "ProcessWrap", "FSReqCallback"];

let before: Record<string, number> = {};
// As it was before the file was read: files of one worker share a process, and so its environment and its folder.
const environmentBefore = JSON.stringify([process.env, process.cwd()]);

// This file is read again before each of them.
countAnew();

beforeAll(() => {
  before = countOpen();
});

afterAll(async () => {
  if (JSON.stringify([process.env, process.cwd()]) !== environmentBefore)
    throw new Error("the file left another environment or working folder behind: restore it in afterAll");
  await waitFor("everything the tests opened is closed", () => opened().length === 0, {
    timeoutMs: 5_000,
  }).catch(() => {
    throw new Error(`still open after the tests: ${opened().join(", ")}`);
  });
});

function opened(): string[] {
  const now = countOpen();
  return watched.filter((kind) => (now[kind] ?? 0) > (before[kind] ?? 0));
}

function countOpen(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
