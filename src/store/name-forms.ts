/** Text as typed, and in the forms in which names may be kept: all small, all large, a hash without its 0x. */
export function nameForms(text: string): string[] {
  const lower = text.toLowerCase();
  return [...new Set([text, lower, text.toUpperCase(), lower.replace(/^0x/, "")])].filter(
    (form) => form !== "",
  );
}
