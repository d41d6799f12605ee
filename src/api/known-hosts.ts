import { isIP } from "node:net";
import { isLocalName, isLoopback } from "../core/network.ts";

/**
 * Whether a request may name this host. A page elsewhere can make its own name lead to our address and then read what we
 * answer; it cannot make the browser say another name than its own. So a service on this machine answers to addresses
 * and to names of this machine only, and one with a public address to that one as well.
 */
export function createHostCheck(options: {
  /** What we listen on. */
  listensOn: string;
  /** Under which address people know us, if that is set. */
  publicUrl: string | null;
}): (host: string) => boolean {
  const { listensOn, publicUrl } = options;
  const names = new Set([listensOn.toLowerCase()]);
  if (publicUrl !== null) names.add(new URL(publicUrl).hostname.toLowerCase());
  const open = publicUrl === null && !isLoopback(listensOn);
  return (host) => {
    if (open) return true;
    const name = nameOf(host);
    return name !== null && (isIP(name) !== 0 || isLocalName(name) || names.has(name));
  };
}

/** Without the port, and of an IPv6 address without its brackets. */
function nameOf(host: string): string | null {
  const [, address, name] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\\@\s]+))(?::\d{1,5})?$/.exec(host) ?? [];
  return (address ?? name)?.toLowerCase() ?? null;
}
