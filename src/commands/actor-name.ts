import { userInfo } from "node:os";

/** Who acts, for the audit log: the user of this machine. */
export function actorName(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // In a container the user may have a number and no name.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
