import { RefusedError } from "../refusal.ts";

/** The address to send the person to after paying. It comes URL-encoded, and only web addresses may become a link. */
export function readRedirectUrl(encoded: string | undefined): string | undefined {
  if (encoded === undefined || encoded === "") return undefined;
  const url = parseUrl(encoded) ?? parseUrl(decode(encoded));
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url.href;
  throw new RefusedError(
    "INVALID_PARAMETER",
    "supportedParams.partnerData.redirectUrl.success: expected a URL-encoded http or https address",
    "supportedParams.partnerData.redirectUrl.success",
  );
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
