import { write } from "node:fs";
import { Writable } from "node:stream";

/** How long a full pipe is left alone. */
const patienceMs = 5;

/**
 * A stream to stdout for whole files. Not `process.stdout`: a reader that goes away (`| head`) must end the query, and then the
 * command in good order. Not a stream of `node:fs` either: Node has made the pipe non-blocking by then, and such a stream fails
 * once a slow reader has left it full for five attempts.
 */
export function openStdout(): Writable {
  const stdout: Writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => writeWhole(chunk, done),
  });

  function writeWhole(bytes: Buffer, done: (error?: Error | null) => void): void {
    // Stopped, perhaps while the pipe was full.
    if (stdout.destroyed) return done();
    write(1, bytes, (error, written) => {
      if (error?.code === "EAGAIN") setTimeout(writeWhole, patienceMs, bytes, done);
      else if (error) done(error);
      else if (written < bytes.length) writeWhole(bytes.subarray(written), done);
      else done();
    });
  }

  return stdout;
}
