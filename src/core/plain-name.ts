/** A name, not a path, and nothing that a terminal or a header would trip over. */
export function plainName(name: string, otherwise: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return last.replaceAll(/\p{Cc}/gu, "").slice(0, 200) || otherwise;
}
