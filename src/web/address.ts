/** Addresses of screens: what they hold of filters, and where they may lead. */

/** A form sends its empty fields as well. */
export function withoutEmpty(given: URLSearchParams): URLSearchParams {
  const clean = new URLSearchParams();
  for (const [name, value] of given) if (value !== "" && !value.includes("\0")) clean.append(name, value);
  return clean;
}

/** A filter of several values: a comma list or repeated, as in the API. */
export function listOf<Name extends string>(
  address: URLSearchParams,
  name: Name,
): Partial<Record<Name, string[]>> {
  const values = address.getAll(name).flatMap((value) => value.split(","));
  return (values.length === 0 ? {} : { [name]: values.slice(0, 100) }) as Partial<Record<Name, string[]>>;
}

/** Only places of our own: a link to the sign-in must not lead to somebody else's page. */
export function localPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])[\x20-\x7e]*$/.test(path) || path.startsWith("/sign-"))
    return "/overview";
  return path;
}
