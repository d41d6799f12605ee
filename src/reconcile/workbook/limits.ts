/** What a workbook may be. A hostile one is refused after this much work, whatever it says of itself. */
export const workbookBytesMax = 64 * 1024 * 1024;
/** Of all that is unpacked of one file while it is read once. */
export const unpackedBytesMax = 1024 * 1024 * 1024;
/** Parts that are held as a whole: the list of sheets, the styles. */
export const smallPartBytesMax = 8 * 1024 * 1024;
/** Texts that cells share are held while the sheet is read. */
export const sharedCharsMax = 64 * 1024 * 1024;
export const sharedTextsMax = 2_000_000;
export const partsMax = 2_000;
export const sheetsMax = 50;
export const tagCharsMax = 64 * 1024;
/** As the format has them. */
export const rowsMax = 1_048_576;
