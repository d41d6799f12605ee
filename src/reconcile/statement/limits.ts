/** What a statement may be. Each limit is far above what providers send and far below what would hurt. */
export const fileBytesMax = 1024 * 1024 * 1024;
/** Over HTTP, where a file is kept on our disk while it is read. */
export const uploadBytesMax = 50 * 1024 * 1024;
/** In UTF-16 units; what is longer is not a row of a statement, but would have to be held whole. */
export const lineCharsMax = 1024 * 1024;
/** A quoted cell may hold line breaks; an unclosed quote must not swallow the file. */
export const linesPerRowMax = 100;
export const columnsMax = 500;
/** Of a cell that is read. In any script it then fits an index, and no amount has more digits than Postgres can store. */
export const cellCharsMax = 600;
/** Of all kinds together, those that say nothing as well. */
export const rowsMax = 2_000_000;
/** Each is noted like any other row, so a file of nothing but line breaks would otherwise be the most work of all. */
export const blankRowsMax = 100_000;
/** Rows that begin a quote and never end it. A person forgets one; so many mean that the file is not CSV. */
export const unclosedRowsMax = 10_000;
/** Text that is taken apart before others get their turn: a few milliseconds of work, whatever it holds. */
export const charsPerTurn = 4 * 1024;
/** The same in rows: a few letters may be thousands of them. */
export const rowsPerTurn = 100;
/** The header is looked for in this many lines, and this many characters: every profile is tried on each of them. */
export const headerLinesMax = 50;
export const headerCharsMax = 64 * 1024;
/** Rows that go to the database at once: large enough to be quick, small enough to be held several times. */
export const rowsPerBatch = 4_000;
export const charsPerBatch = 4 * 1024 * 1024;
/** Rejected and restated rows in an answer; all of them can be downloaded. */
export const rowsShownMax = 100;
/** Payouts with totals of their own; further ones are summed together. */
export const payoutsShownMax = 1_000;
export const rejectedTextCharsMax = 4_000;
