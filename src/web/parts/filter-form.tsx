import type { PropsWithChildren } from "hono/jsx";

/** Filters in one row. Its answer is an address, and so it works without a script. */
export function FilterForm({ path, children }: PropsWithChildren<{ path: string }>) {
  return (
    <form class="filters" method="get" action={path}>
      <div class="filter-row">
        {children}
        <button type="submit">Show</button>
      </div>
    </form>
  );
}
