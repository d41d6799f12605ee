import { may, type Visitor } from "../deps.ts";

/** The imported file as it came. It holds wallet addresses in full, so not everyone may have it. */
export function OriginalLink({ of, visitor }: { of: string; visitor: Visitor }) {
  return may(visitor, "wallets:read") ? (
    <a href={`${of}/original`} download>
      Download the original
    </a>
  ) : null;
}
