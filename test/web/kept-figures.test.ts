import { describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../src/core/duration.ts";
import { createKeptFigures } from "../../src/web/kept-figures.ts";
import { waitFor } from "../support/wait-for.ts";

function aMemory() {
  let now = 1_000_000;
  const failed: object[] = [];
  const figures = createKeptFigures({ now: () => now, log: { error: (fields) => void failed.push(fields) } });
  return { figures, failed, pass: (ms: number) => void (now += ms) };
}

/** Work that ends when the test says so. */
function slowWork() {
  let end: (value: number) => void = () => undefined;
  const done = new Promise<number>((resolve) => {
    end = resolve;
  });
  let begun = 0;
  return { work: () => (begun++, done), end: (value: number) => end(value), begun: () => begun };
}

describe("figures that take long", () => {
  test("are not waited for, are worked out once, and are there afterwards", async () => {
    const { figures } = aMemory();
    const slow = slowWork();
    const looks = [figures.get("owed", slow.work), figures.get("owed", slow.work)];
    expect(await Promise.all(looks)).toEqual([null, null]);
    expect(slow.begun()).toBe(1);
    slow.end(7);
    await waitFor("they are known", async () => (await figures.get("owed", slow.work)) === 7);
    expect(slow.begun()).toBe(1);
  });

  test("are worked out one after the other where they stand in line, also after one that failed", async () => {
    const { figures } = aMemory();
    const [first, second] = [slowWork(), slowWork()];
    const failing = async () => {
      await first.work();
      throw new Error("the database is away");
    };
    const looks = [
      figures.get("owed", failing, { inLine: true }),
      figures.get("closed", second.work, { inLine: true, waitMs: MINUTE }),
    ];
    expect(await figures.get("quick", async () => 1)).toBe(1);
    expect([first.begun(), second.begun()]).toEqual([1, 0]);
    first.end(7);
    await waitFor("the second begins", async () => second.begun() === 1);
    second.end(8);
    expect(await Promise.all(looks)).toEqual([null, 8]);
  });

  test("are shown as they were while they are worked out again, but not as of long ago", async () => {
    const { figures, pass } = aMemory();
    expect(await figures.get("owed", async () => 1)).toBe(1);
    expect(await figures.get("owed", async () => 2)).toBe(1);
    pass(16 * SECOND);
    const slow = slowWork();
    expect(await figures.get("owed", slow.work)).toBe(1);
    pass(15 * MINUTE);
    expect(await figures.get("owed", slow.work)).toBeNull();
    slow.end(3);
    await waitFor("they are known", async () => (await figures.get("owed", slow.work)) === 3);
  });

  test("are waited for by who asks for them alone, and worked out again once they were forgotten", async () => {
    const { figures } = aMemory();
    const slow = slowWork();
    const waiting = figures.get("owed", slow.work, { waitMs: 10 * MINUTE });
    expect(await figures.get("owed", slow.work)).toBeNull();
    slow.end(7);
    expect(await waiting).toBe(7);
    figures.forget("owed");
    expect(await figures.get("owed", async () => 8)).toBe(8);
  });

  test("are added up again the later the longer it took, and not shown as they were where a decision is taken", async () => {
    const { figures, pass } = aMemory();
    const slow = slowWork();
    const waiting = figures.get("owed", slow.work, { waitMs: 10 * MINUTE });
    pass(30 * SECOND);
    slow.end(1);
    expect(await waiting).toBe(1);
    pass(5 * MINUTE);
    expect(await figures.get("owed", async () => 2)).toBe(1);
    pass(1 * SECOND);
    const again = slowWork();
    expect(await figures.get("owed", again.work, { freshOnly: true })).toBeNull();
    expect(await figures.get("owed", again.work)).toBe(1);
    again.end(3);
    await waitFor("they are known", async () => (await figures.get("owed", again.work)) === 3);
  });

  test("that cannot be found leave the page as it is, and a line in the log", async () => {
    const { figures, failed } = aMemory();
    const fail = () => Promise.reject(new Error("no connection"));
    expect(await figures.get("owed", fail)).toBeNull();
    expect(failed).toMatchObject([{ event: "figures_not_found", figures: "owed" }]);
    expect(await figures.get("owed", async () => 4)).toBe(4);
  });
});
