import { readFile, writeFile } from "node:fs/promises";

/**
 * The text of a committed file that is made from something else, and has to equal what is made now. With UPDATE_DOCS=1
 * in the environment it is written first, and the difference shows in the commit.
 */
export async function readCommitted(file: string, made: string): Promise<string> {
  if (process.env["UPDATE_DOCS"] === "1") await writeFile(file, made);
  return readFile(file, "utf8").catch(() => "");
}
