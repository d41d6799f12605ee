import { usageError } from "../../core/errors.ts";
import { isMadeIntoText } from "../statement/decode.ts";

const marks: Readonly<Record<string, number[]>> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};

/** The opposite of `readText`, with the mark that `original` begins with; of a workbook or JSON the text that was made of it. */
export function encodeText(text: string, encoding: string, original: Buffer): Buffer {
  if (isMadeIntoText(encoding)) return Buffer.from(text, "utf8");
  const { encoding: name } = new TextDecoder(encoding);
  const mark = Buffer.from(marks[name] ?? []);
  const bytes = encodeAs(text, name);
  return mark.length > 0 && original.subarray(0, mark.length).equals(mark)
    ? Buffer.concat([mark, bytes])
    : bytes;
}

function encodeAs(text: string, name: string): Buffer {
  if (name === "utf-8") return Buffer.from(text, "utf8");
  if (name === "utf-16le") return Buffer.from(text, "utf16le");
  if (name === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const codes = codesOf(name);
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = codes.get(text.charAt(at));
    if (code === undefined)
      throw usageError(
        `a statement in ${name} cannot be written again without some of its rows: withdraw it, and import it as UTF-8`,
      );
    bytes[at] = code;
  }
  return bytes;
}

/** Of an encoding with one byte for each character. */
function codesOf(name: string): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(name);
  return new Map(
    Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code] as const),
  );
}
