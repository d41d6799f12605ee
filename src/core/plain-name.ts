/** A name, not a path, and nothing that a terminal or a header would trip over, or that makes it read as another name. */
export function plainName(name: string, otherwise: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return withoutUnseen(last).slice(0, 200) || otherwise;
}

/** Without control characters, and those that join, turn or hide others: `inv\u202Exslx.exe` reads as `invexe.xlsx`. */
export function withoutUnseen(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, "");
}
