import { Readable } from "node:stream";

/** A body that is written while it is read, in pieces of some kilobytes, and only as fast as the reader takes them. */
export function textStream(pieces: AsyncIterable<string>): ReadableStream {
  return Readable.toWeb(Readable.from(inChunks(pieces), { objectMode: false })) as ReadableStream;
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = "";
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  yield Buffer.from(chunk);
}

const chunkLength = 16_384;
