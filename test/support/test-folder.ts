import { rm } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { openFolder } from "./open-folder.ts";

/** A temporary folder that goes with the test that asked for it. */
export async function openTestFolder(prefix: string): Promise<string> {
  const folder = await openFolder(prefix);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
