import type { Column, ColumnType } from "./report.ts";

/** Columns of a report, by type: so that its list of columns reads as a table. */
export const text = columnOf("text");
export const decimal = columnOf("amount");
export const time = columnOf("time");
export const date = columnOf("date");
export const integer = columnOf("integer");
export const boolean = columnOf("boolean");

function columnOf(type: ColumnType) {
  return (
    name: string,
    description: string,
    more: Omit<Column, "name" | "type" | "description"> = {},
  ): Column => ({
    name,
    type,
    description,
    ...more,
  });
}
