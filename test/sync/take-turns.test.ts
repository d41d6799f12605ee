import { expect, test } from "vitest";
import { createTurns } from "../../src/sync/take-turns.ts";

test("what arrives meanwhile is looked at between two pieces of work", async () => {
  const takeTurn = createTurns();
  const course: string[] = [];
  const work = async (name: string) => {
    await takeTurn();
    course.push(name);
    // As an answer would arrive while this one was worked on.
    if (name === "first") setImmediate(() => course.push("an answer"));
  };
  await Promise.all([work("first"), work("second"), work("third")]);
  expect(course).toEqual(["first", "an answer", "second", "third"]);
});
