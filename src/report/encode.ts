import { pipeline, type Readable, Transform } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { ReportRequest } from "./parameters.ts";

/** What lies between Postgres and the reader: for a plain file, nothing. Destroying the result destroys the source. */
export function encodeLines(
  lines: Readable,
  { preset, gzip }: Pick<ReportRequest, "preset" | "gzip">,
): Readable {
  const excel = preset === "excel" ? [excelLines()] : [];
  // Reports are compressed while someone waits: the fastest level is five times smaller already.
  const zip = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
  const steps = [...excel, ...zip];
  const last = steps.at(-1);
  if (last === undefined) return lines;
  // Errors travel through every step to the last one, where the reader meets them.
  pipeline([lines, ...steps], () => undefined);
  return last;
}

const quote = 0x22;
const lineFeed = 0x0a;
const lineEnd = Buffer.from("\r\n");
const byteOrderMark = Buffer.from("\uFEFF");

/** Excel takes a file for UTF-8 by its mark, and wants its line ends; a line feed inside a quoted text is not one. */
export function excelLines(): Transform {
  let begun = false;
  let quoted = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const pieces: Buffer[] = begun ? [] : [byteOrderMark];
      begun = true;
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        // A quote inside a quoted text is doubled, so it turns the state twice.
        if (chunk[at] === quote) quoted = !quoted;
        else if (chunk[at] === lineFeed && !quoted) {
          pieces.push(chunk.subarray(from, at), lineEnd);
          from = at + 1;
        }
      }
      pieces.push(chunk.subarray(from));
      done(null, Buffer.concat(pieces));
    },
  });
}
