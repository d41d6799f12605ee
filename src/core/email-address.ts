/** One address, without a name beside it; nothing that could begin another header or another recipient. */
export function isEmailAddress(text: string): boolean {
  return (
    /^[^\s@<>"(),;:\\[\]]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,188}[\p{L}\p{N}])?$/u.test(text) &&
    !text.includes("..")
  );
}
