import { receiptCodes } from "../../core/discrepancy-codes.ts";

/** For an `in`: the codes that a run over the receipts raises, and no run over a provider. */
export const receiptCodeList = receiptCodes.map((code) => `'${code}'`).join(", ");
