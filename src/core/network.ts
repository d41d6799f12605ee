import { isIP } from "node:net";

interface Network {
  address: string;
  bits: number;
  family: "ipv4" | "ipv6";
}

/** `10.0.0.0/8`, `::1`, `192.0.2.7`. */
export function parseNetwork(text: string): Network | null {
  const [, address = "", given] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const bitsMax = version === 4 ? 32 : 128;
  const bits = given === undefined ? bitsMax : Number(given);
  return bits > bitsMax ? null : { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}

/** This machine, by name or address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replaceAll(/^\[|\]$/g, "");
  return isLocalName(name) || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

export function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * A database on another machine is spoken to over TLS and checked by its certificate; `sslmode=disable` says otherwise.
 * The weaker modes are written out as what the driver makes of them: it would warn on every start, and advise against it.
 */
export function withTls(address: string): string {
  if (!URL.canParse(address)) return address;
  const checked = address.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
  if (checked !== address) return checked;
  const { hostname, searchParams } = new URL(address);
  const host = searchParams.get("host") ?? hostname;
  const isLocal = host === "" || host.startsWith("/") || isLoopback(host);
  if (isLocal || ["ssl", "sslmode", "sslnegotiation"].some((name) => searchParams.has(name))) return address;
  return `${address}${address.includes("?") ? "&" : "?"}sslmode=verify-full`;
}
