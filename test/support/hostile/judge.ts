import type { HostileAnswer } from "./send.ts";

/** What no answer may hold: where the program runs, what it asked the database, or how that refused. */
const leaks: readonly [name: string, pattern: RegExp][] = [
  ["a stack trace", /\n\s+at .{0,200}\.(?:ts|js|tsx|mjs):\d+/],
  ["a place in the program", /node_modules|file:\/\/\/(?!etc\/passwd)|\/dist\/src\//],
  [
    "SQL",
    /\b(?:select|insert into|update|delete from)\s[^<]{0,300}\btieout\.\w+|\btieout\.[a-z]+_[a-z_]+\b/i,
  ],
  [
    "an error of Postgres",
    /syntax error at|invalid input syntax|violates \w+ constraint|SQLSTATE|invalid byte sequence|out of range for type/i,
  ],
  [
    "an error of JavaScript",
    /TypeError|RangeError|ReferenceError|Cannot read propert|is not a function|ERR_[A-Z]+_[A-Z]+/,
  ],
];

/** More than this, and proxies answer 502 in our place. */
const headerBytesMax = 8_192;

/** What is wrong about an answer; `null`: nothing. */
export function faultOf({ status, text, headerBytes }: HostileAnswer): string | null {
  // Whoever asks whether it is ready is told so with 503, and that is the right answer of half a service.
  if (status === 503 && text.startsWith('{"status":"not_ready"')) return null;
  if (status >= 500) return `status ${status}`;
  if (headerBytes > headerBytesMax) return `headers of ${headerBytes} bytes`;
  return leaks.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
