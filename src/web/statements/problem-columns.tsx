import type { ListColumn } from "../parts/list-table.tsx";
import { Given } from "../parts/show.tsx";
import { whatToDo } from "./what-to-do.ts";

/** What is wrong with rejected rows, and what to do about it: the same before an import and after it. */
export const problemColumns: readonly ListColumn<{ code: string; reason: string; field: string | null }>[] = [
  {
    title: "Problem",
    rowName: ({ code, reason }) => (
      <>
        <code>{code}</code>
        <br />
        <bdi>{reason}</bdi>
      </>
    ),
  },
  { title: "What to do", show: ({ code }) => whatToDo(code) },
  { title: "Field", show: ({ field }) => <Given text={field} /> },
];
