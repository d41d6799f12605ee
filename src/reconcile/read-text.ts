import { TieoutError } from "../core/errors.ts";
import { decodeHead, detectEncoding, jsonEncoding, workbookEncoding } from "./statement/decode.ts";
import { FileProblemError, unreadable } from "./statement/refusal.ts";

interface TextFile {
  /** Of the refusal. */
  code: "rates_invalid" | "fees_invalid";
  takesJson?: boolean;
}

/** The text of a small file, such as a table of rates: UTF-8, or what its byte order mark says. Anything else is refused. */
export function readText(bytes: Uint8Array, fileName: string, { code, takesJson = false }: TextFile): string {
  try {
    const encoding = detectEncoding(bytes);
    if (encoding === workbookEncoding) throw unreadable("this is a workbook: save it as CSV");
    if (encoding !== jsonEncoding) return decodeHead(bytes, encoding);
    if (!takesJson) throw unreadable("this is JSON: save it as CSV");
    return decodeHead(bytes, "utf-8");
  } catch (error) {
    if (error instanceof FileProblemError) throw new TieoutError(code, `${fileName}: ${error.message}`);
    throw error;
  }
}
