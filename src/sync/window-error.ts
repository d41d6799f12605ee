export type WindowErrorCode = "cursor_loop" | "page_limit" | "empty_pages" | "range_refused";

/** The aggregator's cursors led nowhere. Not an assertion, because it is the aggregator that decides where they lead. */
export class WindowError extends Error {
  readonly code: WindowErrorCode;

  constructor(code: WindowErrorCode, message: string) {
    super(message);
    this.name = "WindowError";
    this.code = code;
  }
}
