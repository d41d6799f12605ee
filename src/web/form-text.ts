const textMax = 10_000;

/** A field of a form, as text; a missing one is empty. What Postgres cannot keep is taken out. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\0", "").trim().slice(0, textMax) : "";
}
