/** The one way to stdout for what commands say, as text or as JSON. Files that are written there go their own way. */
export function writeOut(text: string): void {
  process.stdout.write(visible(text));
}

/** What a command found: for programs, or for people. */
export function answer({ json }: { readonly json: boolean }, value: unknown, text: string): void {
  writeOut(`${json ? JSON.stringify(value) : text}\n`);
}

/** A list as a table. If there is nothing, stdout stays empty for programs, and the person is told so. */
export function answerTable(
  { say }: { readonly say: (line: string) => void },
  flags: { readonly json: boolean },
  { values, text, none }: { values: readonly unknown[]; text: string; none: string },
): void {
  if (flags.json || values.length > 0) answer(flags, values, text);
  else say(none);
}

/** A list, one thing a line. */
export function answerList<Row>(
  context: { readonly say: (line: string) => void },
  flags: { readonly json: boolean },
  list: {
    rows: readonly Row[];
    present: (row: Row) => unknown;
    describe: (row: Row) => string;
    none: string;
  },
): void {
  const { rows, present, describe, none } = list;
  answerTable(context, flags, { values: rows.map(present), text: rows.map(describe).join("\n"), none });
}

/**
 * Names of files and other texts come from outside, and a control character in them could move the cursor of a terminal, or
 * worse. Each is shown as JSON writes it, so that a text of JSON says the same as before.
 */
export function visible(text: string): string {
  return text.replaceAll(
    /(?![\n\t])\p{Cc}/gu,
    (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
