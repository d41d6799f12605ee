import type { LookupAddress, LookupOptions } from "node:dns";
import { BlockList, isIP } from "node:net";
import { parseNetwork } from "../core/network.ts";

/** Why an address is not called. */
export class AddressRefused extends Error {
  constructor(host: string) {
    super(`${host} is in a private network, and webhooks go there only if WEBHOOK_ALLOWED_NETWORKS says so`);
    this.name = "AddressRefused";
  }
}

/** Of IPv4 everything is public that is not listed here; of IPv6 only global unicast, without what leads back to IPv4. */
const privateIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];
const privateIpv6 = ["2001::/32", "2001:db8::/32", "2002::/16"];

export interface AddressCheck {
  /** Whether we may connect to this address. */
  mayReach: (address: string) => boolean;
  /** Whether someone has named this network: then plain http will do as well. */
  isAllowed: (address: string) => boolean;
}

export function createAddressCheck(allowedNetworks: readonly string[]): AddressCheck {
  const allowed = blockListOf(allowedNetworks);
  const refusedIpv4 = blockListOf(privateIpv4);
  const refusedIpv6 = blockListOf(privateIpv6);
  const globalIpv6 = blockListOf(["2000::/3"]);
  const isAllowed = (address: string) => allowed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return {
    isAllowed,
    mayReach: (address) => {
      if (isIP(address) === 0) return false;
      if (isAllowed(address)) return true;
      if (isIP(address) === 4) return !refusedIpv4.check(address, "ipv4");
      return globalIpv6.check(address, "ipv6") && !refusedIpv6.check(address, "ipv6");
    },
  };
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network !== null) list.addSubnet(network.address, network.bits, network.family);
  }
  return list;
}

/** As `lookup` of node:dns when it is asked for all addresses. */
export type LookupAll = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Answer = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Resolves a name for one connection and lets through what may be reached. The socket connects to what is returned here and
 * nowhere else, so a name that is given another address a moment later gains nothing.
 */
export function guardLookup(lookup: LookupAll, mayReach: (address: string) => boolean) {
  return (host: string, options: LookupOptions, done: Answer): void => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      // One private address among public ones is refused as well: that never happens by accident.
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => mayReach(address)))
        return done(new AddressRefused(host), []);
      return options.all === true ? done(null, found) : done(null, first.address, first.family);
    });
  };
}
