import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

export interface Measure {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  crc: number;
}

/** Counts and hashes bytes as they pass. */
export function createMeasure(): { add(chunk: Uint8Array): void; result(): Measure } {
  const hash = createHash("sha256");
  let bytes = 0;
  let crc = 0;
  return {
    add(chunk) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
    },
    result: () => ({ bytes, sha256: hash.digest("hex"), crc }),
  };
}

export function measure(content: Uint8Array): Measure {
  const counting = createMeasure();
  counting.add(content);
  return counting.result();
}
