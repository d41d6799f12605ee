import { unreadable } from "./refusal.ts";

/** What a file is called that is a workbook or JSON, where others have the name of their encoding. */
export const workbookEncoding = "xlsx";
export const jsonEncoding = "json";

/** Of a workbook or JSON, text is made. Where rows were erased from one, that text is all that is kept. */
export function isMadeIntoText(encoding: string): boolean {
  return encoding === workbookEncoding || encoding === jsonEncoding;
}

/** The encoding that the first bytes show, else what the profile names, else UTF-8. Never guessed from the letters. */
export function detectEncoding(head: Uint8Array, stated = "utf-8"): string {
  if (isJson(head)) return jsonEncoding;
  const signature = signatures.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (signature?.encoding !== undefined) return signature.encoding;
  if (signature) {
    throw unreadable(`this is ${signature.what}: export it as CSV`);
  }
  if (head.length === 0) {
    throw unreadable("the file is empty: download the statement again");
  }
  return stated;
}

/** It begins as objects do, or a list of them, and no table does. */
export function isJson(head: Uint8Array): boolean {
  const start = new TextDecoder().decode(head.subarray(0, 1_000));
  return /^\s*(?:\[\s*[[{\]]|\{\s*["}])/.test(start);
}

/** Text, piece by piece. A byte that the encoding does not have ends it: replacing it would be guessing. */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let bytesBefore = 0;
  for await (const piece of pieces) {
    yield readable(() => decoder.decode(piece, { stream: true }), { encoding, bytesBefore });
    bytesBefore += piece.length;
  }
  yield readable(() => decoder.decode(), { encoding, bytesBefore });
}

/** The start of a file, which may end in the middle of a letter. */
export function decodeHead(head: Uint8Array, encoding: string): string {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return readable(() => decoder.decode(head, { stream: true }), { encoding, bytesBefore: 0 });
}

const signatures: readonly { bytes: number[]; encoding?: string; what?: string }[] = [
  { bytes: [0xff, 0xfe, 0, 0], what: "UTF-32 text" },
  { bytes: [0, 0, 0xfe, 0xff], what: "UTF-32 text" },
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: "a PDF" },
  { bytes: [0x50, 0x4b, 3, 4], encoding: workbookEncoding },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], what: "an old Excel workbook" },
  { bytes: [0x1f, 0x8b], what: "a gzip archive" },
];

function readable(
  decode: () => string,
  { encoding, bytesBefore }: { encoding: string; bytesBefore: number },
): string {
  let text: string;
  try {
    text = decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unreadable(
      `after byte ${bytesBefore} there is something that is not ${encoding}: save the file as UTF-8, or name its encoding, such as windows-1252 (for a statement, in its profile; for a bank's file, when you import it)`,
    );
  }
  if (text.includes("\0")) {
    throw unreadable("it holds a zero byte, so it is not text: export the statement as CSV");
  }
  return text;
}
