/** For `addHelpText`: what people type, below the options. */
export function examples(...lines: string[]): ["after", string] {
  return ["after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n`];
}
