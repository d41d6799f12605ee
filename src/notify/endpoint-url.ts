import { isIP } from "node:net";
import { isLocalName } from "../core/network.ts";
import { createAddressCheck } from "./reachable-addresses.ts";

/** What is wrong with an endpoint's address, as far as it can be told without looking its name up; `null`: nothing. */
export function endpointUrlCheck(allowedNetworks: readonly string[]): (url: string) => string | null {
  const check = createAddressCheck(allowedNetworks);
  const anyAllowed = allowedNetworks.length > 0;
  return (text) => {
    if (!URL.canParse(text)) return "is not an address, such as https://example.com/webhooks";
    const { protocol, hostname, username, password } = new URL(text);
    if (protocol !== "https:" && protocol !== "http:") return "is not https";
    if (username !== "" || password !== "")
      return "holds a user name or password; receivers check the signature";
    const host = hostname.replaceAll(/^\[|\]$/g, "");
    const isPrivate = isIP(host) === 0 ? isLocalName(host) && !anyAllowed : !check.mayReach(host);
    if (isPrivate) return "is in a private network; name the network in WEBHOOK_ALLOWED_NETWORKS to allow it";
    if (protocol === "http:" && !anyAllowed)
      return "is not https; plain http is for networks that WEBHOOK_ALLOWED_NETWORKS names";
    return null;
  };
}
