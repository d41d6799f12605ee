import type { PropsWithChildren } from "hono/jsx";
import type { FilterChoices, Visitor } from "../deps.ts";

/** What the filters of a screen are made from. */
export interface FiltersProps {
  address: URLSearchParams;
  choices: FilterChoices;
  visitor: Visitor;
}

/** Filters in one row. Its answer is an address, and so it works without a script. */
export function FilterForm({
  path,
  clear = false,
  children,
}: PropsWithChildren<{ path: string; clear?: boolean }>) {
  return (
    <form class="filters" method="get" action={path}>
      <div class="filter-row">
        {children}
        <button type="submit">Apply</button>
        {clear && (
          <a class="clear" href={path}>
            Clear
          </a>
        )}
      </div>
    </form>
  );
}
