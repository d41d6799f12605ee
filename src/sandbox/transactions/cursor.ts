import { hash32 } from "../world/random.ts";

/** Where a listing stands. All of it travels with the client: the sandbox remembers no listings. */
export interface CursorState {
  /** The row the previous page ended with; the next one begins after it. */
  readonly bucket: number;
  readonly dateMs: number;
  readonly rank: number;
  readonly transactionId: string;
  /** Number of the page it leads to; the first page of a listing is 0. */
  readonly page: number;
  readonly issuedMs: number;
  /** Of the filters it was made for. */
  readonly filters: number;
  /** Nothing is left: it leads to a page without records. */
  readonly ended: boolean;
  /** An earlier cursor of the same listing, kept only to lead back to it when that fault is on. */
  readonly anchor: string;
}

export function writeCursor(seed: string, state: CursorState): string {
  const text = [
    state.bucket,
    state.dateMs,
    state.rank,
    state.transactionId,
    state.page,
    state.issuedMs,
    state.filters,
    state.ended ? 1 : 0,
    state.anchor,
  ].join("~");
  return Buffer.from(`${text}~${hash32(seed, "cursor", text)}`).toString("base64url");
}

/** `null` for a text that `writeCursor` did not write with this seed. */
export function readCursor(seed: string, cursor: string): CursorState | null {
  const text = Buffer.from(cursor, "base64url").toString();
  const end = text.lastIndexOf("~");
  if (end < 0 || String(hash32(seed, "cursor", text.slice(0, end))) !== text.slice(end + 1)) return null;
  const [bucket, dateMs, rank, transactionId = "", page, issuedMs, filters, ended, anchor = ""] = text
    .slice(0, end)
    .split("~");
  return {
    bucket: Number(bucket),
    dateMs: Number(dateMs),
    rank: Number(rank),
    transactionId,
    page: Number(page),
    issuedMs: Number(issuedMs),
    filters: Number(filters),
    ended: ended === "1",
    anchor,
  };
}
