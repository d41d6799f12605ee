/** Each month as a word of its own and as it stands in a date, which differ in some languages. */
export function monthNames(language = "en"): readonly (readonly string[])[] {
  // Some languages have months of their own, which begin on other days.
  const month = { month: "long", calendar: "gregory", timeZone: "UTC" } as const;
  const alone = new Intl.DateTimeFormat(language, month);
  const dated = new Intl.DateTimeFormat(language, { ...month, day: "numeric" });
  return Array.from({ length: 12 }, (_, at) => {
    const day = Date.UTC(2026, at, 1);
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
