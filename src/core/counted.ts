/** `1 payout`, `2 payouts`; words that change otherwise bring their own plural. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}

/** `3283` as `3,283`. */
export function groupDigits(count: number | string): string {
  return String(count).replaceAll(/\B(?=(\d{3})+(?:\.|$))/g, ",");
}
