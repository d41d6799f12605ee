import type { Chance } from "../../simulate/chance.ts";

/** What people have broken programs with before. */
const known = [
  "",
  " ",
  "\0",
  "%00",
  "' or 1=1 --",
  "'; select pg_sleep(5); --",
  "\\",
  "%",
  "_%_%_%",
  "../../../../etc/passwd",
  "..%2f..%2f",
  "infinity",
  "-infinity",
  "NaN",
  "1e400",
  "1e-400",
  "-1",
  "0",
  "2147483648",
  "9223372036854775808",
  "9".repeat(300),
  `0.${"0".repeat(400)}1`,
  "x".repeat(3_000),
  "é".repeat(3_000),
  "<script>alert(1)</script>",
  "\"'><img src=x onerror=alert(1)>",
  "=cmd|' /C calc'!A0",
  "2026-02-30",
  "0001-01-01",
  "0000-00-00",
  "9999-12-31T23:59:59.999Z",
  "+275760-09-13T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "2026-13",
  "2026-03-29T02:30:00",
  "294277-01-01",
  "now",
  "epoch",
  "acme-eu",
  "acme-us",
  "stm_1",
  "dis_1",
  "dis_99999999999999999999",
  "per_1",
  "apr_1",
  "key_",
  "1:1",
  "1:99999999999999999999",
  "moonpay",
  "EUR",
  "{{7*7}}",
  "${7*7}",
  "\r\nSet-Cookie: x=1",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "[object Object]",
  "true",
  "a,b,,c",
  "Europe/London",
  "Mars/Phobos",
  "UTC",
  "http://169.254.169.254/latest/meta-data/",
  "file:///etc/passwd",
  "https://example.com/",
  "//evil.example",
  "a@example.com",
  "\ud800",
  "\u202eevil",
  "ﷺ".repeat(200),
  "a\u0300".repeat(500),
  "(a+)+$",
  "(".repeat(2_000),
  "[".repeat(2_000),
  "a,".repeat(2_000),
  "WzEsIi1zdGF0dXNfZGF0ZSIsIngiLCIyMDI2LTAxLTAxIDAwOjAwOjAwKzAwIiwieCIsIjEiXQ",
  "W10",
  "e30",
];

const lettersFrom: readonly [from: number, to: number][] = [
  [0x00, 0x1f],
  [0x20, 0x7e],
  [0x80, 0xff],
  [0x0370, 0x05ff],
  [0x2000, 0x206f],
  [0xd800, 0xdfff],
  [0x1_f600, 0x1_f64f],
];

export function nastyText(chance: Chance): string {
  if (chance.happens(0.6)) return chance.pick(known);
  if (chance.happens(0.3)) return String(chance.whole(-1_000, 1_000_000));
  const [from, to] = chance.pick(lettersFrom);
  return Array.from({ length: chance.whole(1, 40) }, () => String.fromCodePoint(chance.whole(from, to))).join(
    "",
  );
}

/** Only what a client may put there at all: the rest never leaves it. */
export function nastyHeader(chance: Chance): string {
  const own = [
    "bytes=0-",
    "bytes=9-1",
    '"1"',
    "W/",
    "*",
    "gzip, br",
    "gzip",
    "text/html",
    "multipart/form-data",
    "true",
  ];
  const text = chance.happens(0.4) ? chance.pick(own) : nastyText(chance);
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").trim();
}
