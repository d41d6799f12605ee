import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { limitReports } from "../../src/api/reports/running-reports.ts";

const never = new AbortController().signal;

test("one key has half of the places; what comes too early waits for its turn, in order", async () => {
  const take = limitReports({ max: 4 });
  const begun: string[] = [];
  const ask = async (name: string, actor: string) => {
    const end = await take({ actor }, never);
    begun.push(name);
    return end;
  };
  const [first, second] = await Promise.all([ask("a1", "a"), ask("a2", "a")]);
  const third = ask("a3", "a");
  const fourth = ask("a4", "a");
  const other = await ask("b1", "b");
  other();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  first?.();
  first?.();
  const end = await third;
  expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  end();
  second?.();
  (await fourth)();
});

test("whoever waits too long is told when to come back; whoever leaves frees the queue", async () => {
  const take = limitReports({ max: 2, waitMs: 50 });
  const end = await take({ actor: "a" }, never);
  await expect(take({ actor: "a" }, never)).rejects.toMatchObject({ problem: { status: 429 } });
  const leaving = new AbortController();
  const left = take({ actor: "a" }, leaving.signal);
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  const next = take({ actor: "a" }, never);
  await sleep(1);
  end();
  (await next)();
});
