import type { FieldValue, StatedField } from "./record-fields.ts";

/**
 * One transaction record, normalised: whatever spelling it came in, equal records are equal here. Texts are as
 * received (`""` stays `""`); a field that was absent is `null`, as is one that was null.
 */
export type TransactionRecord = { readonly [Name in StatedField]: FieldValue<Name> };
