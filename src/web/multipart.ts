import { problem } from "../api/problem.ts";

/** A part of a form: a field, or a file when it has a file name. */
export interface Part {
  name: string;
  fileName: string | null;
  /** To be read to its end before the next part is asked for. */
  pieces: AsyncGenerator<Buffer>;
}

const headBytesMax = 4 * 1024;
const partsMax = 50;

/**
 * The parts of a multipart form (RFC 7578) one after the other, as the bytes come. The platform's own reader holds the
 * whole form in memory and looks at all of it at once, which lets one large form stop everyone else.
 */
export async function* readParts(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<Part, void> {
  const boundary = boundaryOf(contentType);
  const edge = Buffer.from(`\r\n--${boundary}`);
  const scanner = createScanner(body);
  await skip(scanner.until(edge));
  for (let parts = 1; ; parts += 1) {
    // After the last part the edge is followed by two dashes, and otherwise by the end of its line.
    const [line] = await collect(scanner.until(Buffer.from("\r\n"), { orEnd: true }), headBytesMax);
    if (line?.startsWith("--")) return;
    if (parts > partsMax) throw malformed();
    const [head] = await collect(scanner.until(Buffer.from("\r\n\r\n")), headBytesMax);
    const { name, fileName } = dispositionOf(head);
    const pieces = scanner.until(edge);
    yield { name, fileName, pieces };
    await skip(pieces);
  }
}

/** What is left unread is passed over. */
async function skip(pieces: AsyncGenerator<Buffer>): Promise<void> {
  for await (const _ of pieces);
}

async function collect(pieces: AsyncGenerator<Buffer>, bytesMax: number): Promise<[string]> {
  return [(await collectBytes(pieces, bytesMax)).toString("utf8")];
}

/** All pieces of a part that has to be small. */
export async function collectBytes(pieces: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw problem("body_too_large", "This is larger than the form accepts.");
    held.push(piece);
  }
  return Buffer.concat(held);
}

interface Scanner {
  /** The bytes up to the needle, which is passed over. With `orEnd` the end of all bytes does as well. */
  until(needle: Buffer, options?: { orEnd?: boolean }): AsyncGenerator<Buffer>;
}

/** Each byte is examined once, and memory holds one chunk plus the length of the boundary. */
function createScanner(body: AsyncIterable<Uint8Array>): Scanner {
  const pieces = body[Symbol.asyncIterator]();
  // The first edge has no line before it.
  let held = Buffer.from("\r\n");
  return {
    async *until(needle, { orEnd = false } = {}) {
      for (;;) {
        const at = held.indexOf(needle);
        if (at >= 0) {
          const found = held.subarray(0, at);
          held = held.subarray(at + needle.length);
          if (found.length > 0) yield found;
          return;
        }
        const sure = held.length - (needle.length - 1);
        if (sure > 0) {
          const passed = held.subarray(0, sure);
          held = held.subarray(sure);
          yield passed;
        }
        const next = await pieces.next();
        if (next.done !== true) {
          held = Buffer.concat([held, next.value]);
          continue;
        }
        if (!orEnd) throw malformed();
        const rest = held;
        held = Buffer.alloc(0);
        if (rest.length > 0) yield rest;
        return;
      }
    },
  };
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw malformed();
  return boundary;
}

function dispositionOf(head: string): { name: string; fileName: string | null } {
  const line = head.split("\r\n").find((text) => /^content-disposition:/i.test(text)) ?? "";
  const name = parameterOf(line, "name");
  if (!/^content-disposition:\s*form-data\s*;/i.test(line) || name === null) throw malformed();
  return { name, fileName: parameterOf(line, "filename") };
}

/** Browsers write a quote inside a value as `%22`, and line breaks likewise; other signs stand for themselves. */
function parameterOf(line: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, "i").exec(line)?.[1];
  return found?.replaceAll(/%22/g, '"').replaceAll(/%0[AD]/gi, " ") ?? null;
}

function malformed() {
  return problem("unsupported_media_type", "Only the page's own forms can be sent here.");
}
