/** What a bank's file may be, beside the limits of statements. Far above what banks send, far below what would hurt. */
export const tagCharsMax = 2_000;
export const textCharsMax = 20_000;
export const depthMax = 40;
/** Payments that one booking of a batch may hold: they are kept until the booking ends. */
export const batchMax = 20_000;
/** Values of one booking that are looked at. */
export const valuesMax = 2_000;
/** A booking as it stands in the file is kept up to here. */
export const originalCharsMax = 4_000;
/** Of a line in MT940 and BAI2: both formats end theirs far earlier. */
export const bankLineCharsMax = 20_000;
/** Lines that belong to one booking: text of MT940, continuations of BAI2. */
export const continuationsMax = 200;
/** Of texts that are kept with a line. */
export const fieldCharsMax = 300;
export const remittanceCharsMax = 2_000;
/** Statements in one file. */
export const statementsMax = 10_000;
