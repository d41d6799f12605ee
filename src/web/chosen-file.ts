import { problem } from "../api/problem.ts";
import { quote } from "../core/quote.ts";
import type { SentForm } from "./read-form.ts";

/** The file of a form that needs one. Without a choice, browsers send an empty file without a name. */
export function chosenFile(file: SentForm["file"], what: string): NonNullable<SentForm["file"]> {
  if (file === null || file.name === "") throw problem("invalid_parameter", `Choose ${what} first.`);
  if (file.byteCount === 0)
    throw problem("invalid_parameter", `${quote(file.name)} is empty: choose another file.`);
  return file;
}
