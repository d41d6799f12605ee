import { inOurWords } from "../store/sql-errors.ts";
import { visible } from "./write-out.ts";

/** What the person who started a command reads when it failed; the stack only when they asked for it. */
export function failureText(error: unknown, { withStack }: { withStack: boolean }): string {
  const said = inOurWords(error);
  const message = said instanceof Error ? said.message : String(said);
  const stack = withStack && error instanceof Error ? `\n${error.stack}` : "";
  return `tieout: ${visible(message)}${stack}\n`;
}
