import { randomBytes } from "node:crypto";
import type { ReadinessCheck } from "../api/health/readiness.ts";
import { SECOND } from "../core/duration.ts";
import { createMemory } from "../core/remember.ts";
import { probeFiles } from "../store/files/files.ts";
import type { CommandContext } from "./context.ts";
import { exportFiles } from "./file-places.ts";

/** Once is enough: the one who waits for the answer has no time for further tries. */
const retryAfterMs: readonly number[] = [];
const lookAgainAfterMs = 30 * SECOND;

/** For `doctor`: writes a small file where exports go, and says where that is. */
export function filesProbe(context: CommandContext): ReadinessCheck {
  const files = exportFiles(context, { retryAfterMs });
  return {
    name: "files",
    // Everything but exports, and copies of the data, works without.
    critical: false,
    run: async () => {
      await probeFiles(files, randomBytes(8).toString("hex"));
      return { in: files.place };
    },
  };
}

/** For `/readyz`, which anyone may ask, and often: only looks, and names no place. */
export function filesLook(context: CommandContext): ReadinessCheck {
  const files = exportFiles(context, { retryAfterMs });
  const looked = createMemory<boolean>({ now: context.now, keepMs: lookAgainAfterMs });
  const look = () =>
    files.list("looked-for/").then(
      () => true,
      () => false,
    );
  return {
    name: "files",
    critical: false,
    run: async () => {
      if (!(await looked.get("files", look)))
        throw new Error("the place for files does not answer as it should: tieout doctor says why");
    },
  };
}
