import type { RowRejectionCode } from "../../core/import-codes.ts";

/** What someone who holds the file does about a row that was not taken. */
export function whatToDo(code: string): string {
  return (
    (steps as Record<string, string | undefined>)[code] ??
    "Look at the row in the file, and ask the provider."
  );
}

const steps: Record<RowRejectionCode, string> = {
  row_unparseable: "Correct the value in the file, or ask the provider for it, and import the file again.",
  row_missing_key: "Ask the provider for the row with its id: without one it cannot be matched.",
  row_key_conflict: "Two rows share one id and differ. Ask the provider which of them is right.",
  row_too_long: "Shorten the row: it is longer than any line of a statement should be.",
  unknown_provider: "Choose the provider above, or map the word in the profile, and preview again.",
  unknown_currency: "Correct the currency in the file, or choose another profile.",
  unknown_line_type: "Map the word to a type of line in the profile, and preview again.",
};
