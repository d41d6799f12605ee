import { TieoutError } from "../core/errors.ts";

export interface BaseUrl {
  readonly origin: string;
  /** Without a slash at its end: paths of endpoints are appended. */
  readonly path: string;
}

/** Reads the address of a surface. A key travels in every request, so only https will do, or this very machine. */
export function parseBaseUrl(name: string, text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(name, "is not a URL; write for example https://api.example.com");
  if (url.username !== "" || url.password !== "") throw invalid(name, "holds a user or password; remove it");
  if (url.search !== "" || url.hash !== "") throw invalid(name, "holds a query or fragment; remove it");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw invalid(
      name,
      `${url.origin} is not https; plain http is allowed for 127.0.0.1, [::1] and localhost only`,
    );
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, "") };
}

/** A key or secret must fit into an HTTP header; the message does not show it. */
export function checkHeaderSecret(name: string, value: string): void {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw invalid(name, "is empty or holds characters that an HTTP header cannot carry; copy it again");
  }
}

function isLoopback(hostname: string): boolean {
  // `URL` has made 127.1 and 0x7f000001 into four plain numbers already.
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function invalid(name: string, problem: string): TieoutError {
  return new TieoutError("config_invalid", `${name}: ${problem}`);
}
