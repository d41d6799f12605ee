/** How formats, rules and states of receipts read. */

const formats: Record<string, string> = {
  camt053: "camt.053",
  mt940: "MT940",
  bai2: "BAI2",
  ofx: "OFX",
  csv: "CSV",
  chain_csv: "CSV of transfers on chain",
};

export function formatWords(format: string): string {
  return formats[format] ?? format;
}

const rules: Record<string, string> = {
  reference: "its reference",
  end_to_end_id: "its end-to-end id",
  hash: "its hash",
  person: "a person",
};

/** By what a line was matched. */
export function ruleWords(rule: string): string {
  return rules[rule] ?? rule;
}
