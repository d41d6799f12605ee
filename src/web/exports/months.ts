/** Periods that people export most, as days of their own zone. */
export interface NamedPeriod {
  title: string;
  from: string;
  /** The last day, included; empty: up to now. */
  to: string;
}

export function namedPeriods(nowMs: number, zone: string): [lastMonth: NamedPeriod, ...NamedPeriod[]] {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(nowMs);
  const [year = 1970, month = 1] = today.split("-").map(Number);
  const day = (months: number, ofMonth: number) =>
    new Date(Date.UTC(year, month - 1 + months, ofMonth)).toISOString().slice(0, 10);
  return [
    { title: "Last month", from: day(-1, 1), to: day(0, 0) },
    { title: "The month before", from: day(-2, 1), to: day(-1, 0) },
    { title: "This month so far", from: day(0, 1), to: today },
    { title: "Everything", from: "", to: "" },
  ];
}
