import type { presentKey } from "../../api/keys/schema.ts";
import { approvalTones } from "./approval-tones.ts";

/** Why a key does not work, and how that looks; `null`: it works. */
export function keyTrouble(
  { revoked_at: revokedAt, expires_at: expiresAt, approval_state: approval }: ReturnType<typeof presentKey>,
  nowMs: number,
) {
  if (revokedAt !== null) return { tone: "plain", text: "revoked" } as const;
  if (Date.parse(expiresAt) <= nowMs) return { tone: "plain", text: "expired" } as const;
  if (approval === null || approval === "approved") return null;
  const text = approval === "proposed" ? "waits for approval" : `approval ${approval}`;
  return { tone: approvalTones[approval], text };
}
