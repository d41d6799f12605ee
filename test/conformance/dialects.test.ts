import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { type Dialect, dialectWords, plainDialect } from "../../src/sandbox/transactions/dialect.ts";
import { runConformance } from "../../src/conformance/run.ts";
import { credentials, nowMs, otherCredentials, startGoodServer } from "./good-server.ts";

const single: [string, Partial<Dialect>][] = Object.entries(dialectWords).flatMap(([name, words]) =>
  words.map((word): [string, Partial<Dialect>] => [`${name} ${word}`, { [name]: word }]),
);
/** Everything at once that makes a reader's life hard. */
const mixed: [string, Partial<Dialect>][] = [
  [
    "scrambled, empty pages between, both bounds outside, an echoed cursor",
    {
      order: "scrambled",
      pages: "empty-between",
      start: "exclusive",
      end: "exclusive",
      "last-cursor": "echo",
    },
  ],
  [
    "by creation, newest first, both bounds inside, short pages, latest rows, a last empty page",
    {
      window: "creation",
      order: "descending",
      end: "inclusive",
      pages: "short",
      rows: "latest",
      "last-cursor": "empty-page",
    },
  ],
];

/** Heard on /transactions only; every other word is spoken all over the server. */
const ofTransactions = "last-cursor window start end order pages rows limit-above unknown-ids no-zone".split(
  " ",
);

describe("what the specification does not show is never a difference", () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startGoodServer();
  });
  afterAll(() => sandbox.close());

  test.each([...single, ...mixed])("%s", async (_name, change) => {
    sandbox.switches.dialect = { ...plainDialect, ...change };
    const elsewhere = Object.keys(change).some((word) => !ofTransactions.includes(word));
    const { results, counts } = await runConformance({
      baseUrl: sandbox.url,
      legacyBaseUrl: sandbox.legacyUrl,
      ...credentials,
      other: otherCredentials,
      allowWrites: elsewhere,
      ...(elsewhere ? {} : { only: ["transactions", "transaction"] }),
      now: () => nowMs,
    });
    const differing = results.filter(({ outcome }) => outcome.verdict === "differ").map(({ id }) => id);
    expect(differing).toEqual([]);
    // A suite that finds nothing to judge by would pass everything.
    expect(counts.pass).toBeGreaterThan(results.length - 3);
  });
});
