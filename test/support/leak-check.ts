import { afterAll, beforeAll } from "vitest";
import { waitFor } from "./wait-for.ts";

/** What a file may not leave open: the next one would inherit it, and the run would not end. */
const watched = ["TCPSocketWrap", "TCPServerWrap", "ProcessWrap", "FSReqCallback"];

let before: Record<string, number> = {};

beforeAll(() => {
  before = countOpen();
});

afterAll(async () => {
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
