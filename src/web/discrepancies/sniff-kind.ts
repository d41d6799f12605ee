export type AttachmentKind = "pdf" | "png" | "jpeg" | "zip" | "text";

/** What a file is by its first bytes, whatever it calls itself; `null`: nothing that is taken. */
export function sniffKind(bytes: Buffer): AttachmentKind | null {
  for (const [kind, beginning] of beginnings) {
    if (bytes.subarray(0, beginning.length).equals(beginning)) return kind;
  }
  return isText(bytes) ? "text" : null;
}

const beginnings: readonly (readonly [AttachmentKind, Buffer])[] = [
  ["pdf", Buffer.from("%PDF-")],
  ["png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["jpeg", Buffer.from([0xff, 0xd8, 0xff])],
  ["zip", Buffer.from([0x50, 0x4b, 0x03, 0x04])],
];

/** UTF-8 without control characters: a CSV, a mail, a note. Markup is refused, although it is never shown. */
function isText(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return false;
  // oxlint-disable-next-line no-control-regex
  const hasControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
  return !hasControls && !/^\s*<(!doctype|html|svg|script|\?xml)/i.test(text);
}
