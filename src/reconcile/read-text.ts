import { TieoutError } from "../core/errors.ts";
import { decodeHead, detectEncoding, isMadeIntoText, jsonEncoding } from "./statement/decode.ts";
import { FileProblemError, unreadable } from "./statement/refusal.ts";

/** The text of a small file, such as a table of rates: UTF-8, or what its byte order mark says. Anything else is refused. */
export function readText(
  bytes: Uint8Array,
  fileName: string,
  code: "rates_invalid" | "fees_invalid",
): string {
  try {
    const encoding = detectEncoding(bytes);
    if (isMadeIntoText(encoding))
      throw unreadable(`this is ${encoding === jsonEncoding ? "JSON" : "a workbook"}: save it as CSV`);
    return decodeHead(bytes, encoding);
  } catch (error) {
    if (error instanceof FileProblemError) throw new TieoutError(code, `${fileName}: ${error.message}`);
    throw error;
  }
}
