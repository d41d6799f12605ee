/** `1 payout`, `2 payouts`; words that change otherwise bring their own plural. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
