import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { TieoutError, usageError } from "../core/errors.ts";

const megabyte = 1024 * 1024;

/** The size of a file that is read in pieces, and more than once; so a pipe will not do. */
export async function sizeOfGiven(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (!found.isFile()) throw usageError(`${path} is not a file`);
  return found.size;
}

/** A small file as a whole, or what a pipe brings: some of these never end, and would fill the memory. */
export async function readGiven(path: string, { option = "", megabytesMax = 50 } = {}): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > megabytesMax * megabyte) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException, option);
  }
  if (bytes > megabytesMax * megabyte)
    throw usageError(`${prefix(option)}${path} is larger than ${megabytesMax} MB`);
  return Buffer.concat(chunks);
}

function unreadable(path: string, error: NodeJS.ErrnoException, option = ""): TieoutError {
  const advice = error.code === "EISDIR" ? "it is a folder" : "check the name";
  return usageError(`${prefix(option)}cannot read ${path} (${error.code}): ${advice}`);
}

const prefix = (option: string) => (option === "" ? "" : `${option}: `);
