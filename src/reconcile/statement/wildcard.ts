/** Whether a text fits a pattern in which `*` stands for anything, in any case. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const form = new RegExp(`^${parts.join(".*")}$`, "i");
  return (text) => form.test(text);
}
