import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { describeObject, time, withMembers } from "../../src/api/object.ts";

interface Row {
  id: number;
  fileName: string;
  line_no: number;
  createdAt: string;
  endedAt: string | null;
  secret: string;
}

const thing = describeObject({
  name: "Thing",
  object: "thing",
  members: {
    id: z.string(),
    file_name: z.string(),
    line_no: z.int(),
    created_at: time.openapi({ description: "When it was made." }),
    ended_at: time.nullable(),
    note: z.string().nullable(),
  },
  present: (row: Row, note: string | null) => ({ id: `thing_${row.id}`, note }),
  example: { id: 1, fileName: "a.csv", line_no: 2, createdAt: "2026-11-14 09:00:00.123456+00" },
  exampleWith: [null],
});

test("a member is what the row holds under its name in either spelling; all else is said, and nothing more is shown", () => {
  const row: Row = {
    secret: "not shown",
    id: 7,
    fileName: "b.csv",
    line_no: 3,
    createdAt: "2026-11-14 09:00:00+00",
    endedAt: "2026-11-15 09:00:00.5+00",
  };
  const shown = thing.present(row, "seen");
  expect(shown).toEqual({
    object: "thing",
    id: "thing_7",
    file_name: "b.csv",
    line_no: 3,
    created_at: "2026-11-14T09:00:00.000Z",
    ended_at: "2026-11-15T09:00:00.500Z",
    note: "seen",
  });
  expect(Object.keys(shown)).toEqual(Object.keys(thing.schema.shape));
  expect(thing.schema.safeParse(shown).success).toBe(true);
});

test("the example is made by the presenter, and what is left out of its row is null", () => {
  expect(thing.example).toEqual({
    object: "thing",
    id: "thing_1",
    file_name: "a.csv",
    line_no: 2,
    created_at: "2026-11-14T09:00:00.123Z",
    ended_at: null,
    note: null,
  });
});

test("an object with further members has the schema and the example of both", () => {
  const more = withMembers(thing, "ThingWithKey", { key: z.string() }, { key: "k" });
  expect(more.example).toEqual({ ...thing.example, key: "k" });
  expect(more.schema.safeParse(more.example).success).toBe(true);
  expect(more.schema.safeParse(thing.example).success).toBe(false);
});
