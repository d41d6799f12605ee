type Direction = "ascending" | "descending";

/** What a column needs to be sorted by: the address, and how it is sorted now. */
export interface Sorting {
  sortHref: string;
  "aria-sort"?: Direction;
}

/**
 * Sorting by links: `sort=-value` in the address. A second click turns it round. A cursor holds for one order only, and so
 * it is dropped.
 */
export function sortingBy(
  { path, address, now }: { path: string; address: URLSearchParams; now: string },
  name: string,
  first: Direction = "descending",
): Sorting {
  const turned =
    now === name ? `-${name}` : now === `-${name}` ? name : first === "descending" ? `-${name}` : name;
  const query = new URLSearchParams(address);
  query.delete("cursor");
  query.set("sort", turned);
  const sortHref = `${path}?${query.toString()}`;
  if (now !== name && now !== `-${name}`) return { sortHref };
  return { sortHref, "aria-sort": now.startsWith("-") ? "descending" : "ascending" };
}
