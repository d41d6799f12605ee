import { unreadable } from "../statement/refusal.ts";
import { bankLineCharsMax } from "./limits.ts";

export interface BankLine {
  readonly lineNo: number;
  readonly text: string;
}

/** Physical lines from pieces of text, whatever ends them; holds one at most. */
export function createLineSplitter(): {
  push(text: string): Generator<BankLine>;
  end(): Generator<BankLine>;
} {
  let rest = "";
  let lineNo = 0;
  const line = (text: string): BankLine => ({
    lineNo: ++lineNo,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  });
  return {
    *push(piece) {
      const text = rest + piece;
      let at = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
        yield line(text.slice(at, end));
        at = end + 1;
      }
      rest = text.slice(at);
      if (rest.length > bankLineCharsMax) {
        throw unreadable(
          `line ${lineNo + 1} has more than ${bankLineCharsMax} characters: no bank writes such lines`,
        );
      }
    },
    *end() {
      if (rest !== "") yield line(rest);
      rest = "";
    },
  };
}
