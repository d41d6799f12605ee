import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import type { SecretFile } from "./secret-files.ts";

/**
 * Makes a file that only its owner reads; `false` when there is one already. Several processes may start at once in one
 * folder: it is written under another name first, so that its own never leads to a file that is still empty.
 */
export async function createWhole(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  const options = { mode: 0o600, flag: "wx" };
  try {
    await writeFile(draft, text, options);
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      // Some file systems know no links; there the moment of an empty file cannot be avoided.
      if (!withoutLinks.has(error.code ?? "")) throw error;
      return writeFile(file, text, options);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** What is drawn once and kept in a file: the first process makes it, and all use what it holds. */
export async function readOrDraw(file: SecretFile, draw: () => string): Promise<string> {
  const read = () => readFile(file, "utf8");
  try {
    return (await read()).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await createWhole(file, draw());
    return (await read()).trim();
  }
}
