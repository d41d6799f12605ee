export type WindowErrorCode = "cursor_loop" | "page_limit" | "empty_pages" | "range_refused";

/** The aggregator led the walk nowhere. Not an assertion: it decides where its cursors lead. */
export class WindowError extends Error {
  readonly code: WindowErrorCode;

  constructor(code: WindowErrorCode, message: string) {
    super(message);
    this.name = "WindowError";
    this.code = code;
  }
}
