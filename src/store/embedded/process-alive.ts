import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, but there.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  // One that has ended keeps its number until its parent asks for it, which the first process of a container may never do.
  return statFields(pid)?.[0] !== "Z";
}

/**
 * When a process began, in the kernel's own ticks: together with its number it names one process for ever, because
 * numbers are used again (in containers at once). `null` where the system does not tell.
 */
export function processStart(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** From the third field on, which is the state; `null` where the system does not say. */
function statFields(pid: number): string[] | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets and may itself hold spaces and brackets.
    return fields.slice(fields.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

/** The program's name, or `null` where the system does not tell. */
export function processName(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return null;
  }
}
