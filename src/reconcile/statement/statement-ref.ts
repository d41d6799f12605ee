/** `stm_12`; on the command line the bare number does as well. */
export function statementRef(id: number): string {
  return `stm_${id}`;
}

export function parseStatementRef(text: string): number | null {
  const found = /^(?:stm_)?([1-9]\d{0,14})$/.exec(text);
  return found ? Number(found[1]) : null;
}
