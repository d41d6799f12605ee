import { TieoutError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";

export interface NameAndEmail {
  name: string;
  email: string;
}

const lengthMax = 200;

/** As a person types them; all that is wrong with them at once. */
export function readNameAndEmail(given: NameAndEmail): NameAndEmail {
  const name = given.name.trim().replaceAll(/\s+/g, " ");
  const email = given.email.trim();
  const problems: string[] = [];
  if (name === "" || name.length > lengthMax || hasControls(name)) {
    problems.push(`name: expected 1 to ${lengthMax} characters, found ${quote(name)}`);
  }
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || email.length > lengthMax || hasControls(email)) {
    problems.push(`email: expected an address such as ada@example.com, found ${quote(email)}`);
  }
  if (problems.length > 0) throw new TieoutError("person_invalid", problems.join("; "));
  return { name, email };
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
