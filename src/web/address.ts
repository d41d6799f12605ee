/** Addresses of screens: what they hold of filters, and where they may lead. */

/** A form sends its empty fields as well. */
export function withoutEmpty(given: URLSearchParams): URLSearchParams {
  const clean = new URLSearchParams();
  for (const [name, value] of given) if (value !== "" && !value.includes("\0")) clean.append(name, value);
  return clean;
}

/** Filters of the books, of several values each: a comma list or repeated, as in the API. The books keep providers in small letters. */
export function filtersIn<Name extends string>(
  address: URLSearchParams,
  ...names: Name[]
): Partial<Record<Name, string[]>> {
  const filters: Partial<Record<Name, string[]>> = {};
  for (const name of names) {
    const given = address.getAll(name).flatMap((value) => value.split(","));
    const values = name === "provider" ? given.map((value) => value.toLowerCase()) : given;
    if (values.length > 0) filters[name] = values.slice(0, 100);
  }
  return filters;
}

/** What a filter's field shows: several values as the comma list that means the same. */
export function chosenIn(address: URLSearchParams): (name: string) => string {
  return (name) => address.getAll(name).join(",");
}

/** What is longer is not carried along: proxies and browsers refuse an answer whose headers are too large. */
export const carriedCharsMax = 2_000;

/** Only places of our own: a link to the sign-in must not lead to someone else's page. */
export function localPath(path: string | undefined): string {
  if (
    path === undefined ||
    path.length > carriedCharsMax ||
    !/^\/(?![/\\])[\x20-\x7e]*$/.test(path) ||
    path.startsWith("/sign-")
  )
    return "/overview";
  return path;
}
