/** What is wrong with a server's certificate, and what to do; `null` for any other error. `byTrusting` says how to name an authority. */
export function certificateProblem(error: unknown, byTrusting: string): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== "string") return null;
  if (unknownAuthority.test(code))
    return `has a certificate of an authority that is not known here: ${byTrusting} that authority`;
  return others[code] ?? null;
}

// In the words of OpenSSL, as Node passes them on.
const unknownAuthority =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/;
const others: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "has a certificate for another host name: use the name that is in the certificate",
  CERT_HAS_EXPIRED: "has a certificate that has expired: renew it, or set this machine's clock",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet: set this machine's clock",
};
