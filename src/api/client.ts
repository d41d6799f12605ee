import { BlockList, isIP } from "node:net";
import { parseNetwork } from "../core/network.ts";
import type { Client } from "./client-address.ts";
import type { ApiContext } from "./deps.ts";

/** Reads what a proxy says about its client. From others these headers are not believed. */
export type ReadClient = (c: ApiContext) => Client;

export function createClientReader(trustedProxies: readonly string[]): ReadClient {
  const isTrusted = createTrust(trustedProxies);
  return (c) => {
    const peer = plain(c.env?.incoming?.socket?.remoteAddress ?? "unknown");
    const https = c.req.url.startsWith("https:");
    if (!isTrusted(peer)) return { address: peer, secure: https, proxied: false };
    const hops = (c.req.header("x-forwarded-for") ?? "").split(",").map((hop) => plain(hop.trim()));
    const protocol = (c.req.header("x-forwarded-proto") ?? "").split(",").at(-1)?.trim().toLowerCase();
    return {
      address: clientOf(hops, isTrusted) ?? peer,
      secure: https || protocol === "https",
      proxied: true,
    };
  };
}

/**
 * From the right: each proxy adds the address that it was asked by, so what stands left of the first stranger was written
 * by that stranger.
 */
function clientOf(hops: readonly string[], isTrusted: (address: string) => boolean): string | null {
  let nearest: string | null = null;
  for (const hop of hops.toReversed()) {
    if (isIP(hop) === 0) return nearest;
    nearest = hop;
    if (!isTrusted(hop)) return hop;
  }
  return nearest;
}

function createTrust(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries) {
    const network = parseNetwork(entry);
    if (network === null) throw new TypeError(`not an address or a network: ${entry}`);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}

/** A socket that takes both kinds shows IPv4 addresses inside IPv6 ones. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
