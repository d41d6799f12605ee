/** Each month as a word of its own and as it stands in a date, which differ in some languages. */
export function monthNames(language = "en"): readonly (readonly string[])[] {
  const alone = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
  const dated = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, month) => {
    const day = Date.UTC(2026, month, 1);
    const inDate = dated.formatToParts(day).find(({ type }) => type === "month")?.value ?? "";
    return [alone.format(day), inDate];
  });
}

export function isLanguage(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}
