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
  if (name === "" || name.length > lengthMax || hasUnseen(name)) {
    problems.push(`name: expected 1 to ${lengthMax} characters that can be seen, found ${quote(name)}`);
  } else if (mixesAlphabets(name)) {
    problems.push(
      `name: ${quote(name)} has letters of several alphabets in one word; write each word in one of them`,
    );
  } else if (isOfTheProgram(name)) {
    problems.push(`name: ${quote(name)} is how tieout writes of itself, of keys or of the command line`);
  }
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || email.length > lengthMax || hasUnseen(email)) {
    problems.push(`email: expected an address such as ada@example.com, found ${quote(email)}`);
  }
  if (problems.length > 0) throw new TieoutError("person_invalid", problems.join("; "));
  return { name, email };
}

/** Screens, reports and the audit log tell people apart by their names alone, so these must not look the same. */
export function isSameName(one: string, other: string): boolean {
  return seenAs(one) === seenAs(other);
}

/** A name that someone else gives to a person, such as the company's sign-in service, may be unfit. */
export function isFitName(name: string): boolean {
  return (
    name.trim() !== "" &&
    name.length <= lengthMax &&
    !hasUnseen(name) &&
    !mixesAlphabets(name) &&
    !isOfTheProgram(name)
  );
}

/** Control characters, and those that join, turn or hide others: with them one name can look like another. */
function hasUnseen(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text);
}

/** Many letters of these look the same: one that is taken from another alphabet makes a second person of the same name. */
function mixesAlphabets(name: string): boolean {
  const alphabets = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => alphabets.filter((letters) => letters.test(word)).length > 1);
}

const ownNames = new Set([
  "tieout",
  "service",
  "sign-in service",
  "stranger",
  "first link",
  "download link",
  "command line",
]);

/** As the audit log names what no person did: see `tieout.actor_name`. */
function isOfTheProgram(name: string): boolean {
  const seen = seenAs(name);
  return ownNames.has(seen) || /^key |^(?:person|key|cli):|\(command line\)$/.test(seen);
}

function seenAs(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
