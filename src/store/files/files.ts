import type { Readable } from "node:stream";
import { TieoutError } from "../../core/errors.ts";

/** What is written: any length, not known beforehand. */
export type FileBody = Iterable<Buffer | string> | AsyncIterable<Buffer | string>;

export interface WrittenBytes {
  bytes: number;
  sha256: string;
}

/**
 * A place for files: a folder, or a prefix of a bucket. A name is relative to it and has slashes between its parts. A file
 * is there as a whole or not at all, whenever the process that writes it ends.
 */
export interface Files {
  /** For people: a folder, or `s3://bucket/prefix`. */
  readonly place: string;
  /** Replaces what has the name. */
  write(name: string, body: FileBody, signal?: AbortSignal): Promise<WrittenBytes>;
  /** `null`: there is none of that name. The body may fail later, also for good. */
  read(name: string): Promise<{ bytes: number; body: Readable } | null>;
  sizeOf(name: string): Promise<number | null>;
  /** Everything whose name begins so, by name; in a folder also what was not written to its end, as `….part`. */
  list(prefix: string): Promise<string[]>;
  /** The first parts of names that have several. */
  folders(): Promise<string[]>;
  /** Removing what is not there is no error. */
  remove(name: string): Promise<void>;
  removeFolder(name: string): Promise<void>;
  /** A place in this place. */
  within(folder: string): Files;
}

/** Where a file is, for people and for programs that read it without us. */
export function addressOf({ place }: Pick<Files, "place">, name: string): string {
  return `${place}/${checkName(name)}`;
}

/** Names are made of what others call things, and none may lead out of its place or mean something to a server. */
export function checkName(name: string): string {
  const parts = name.split("/");
  // oxlint-disable-next-line no-control-regex -- exactly these have no place in a name
  if (parts.some((part) => part === "" || part === "." || part === "..") || /[\0-\x1f\x7f\\]/.test(name))
    throw new TieoutError(
      "files_unusable",
      `${JSON.stringify(name)} cannot be the name of a file: leave out "..", empty parts, "\\" and control characters`,
    );
  return name;
}

export async function readText(files: Files, name: string): Promise<string | null> {
  const found = await files.read(name);
  return found && (await allOf(found.body)).toString("utf8");
}

export async function allOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const probeName = ".tieout-probe";

/** Writes a small file, reads it and removes it again: what the service will do there, so that it fails now. */
export async function probeFiles(files: Files, mark: string): Promise<void> {
  const name = `${probeName}-${mark}`;
  await files.write(name, [mark]);
  try {
    if ((await readText(files, name)) === mark) return;
  } finally {
    await files.remove(name);
  }
  throw new TieoutError("files_unusable", `${files.place} does not give back what was written to it`);
}
