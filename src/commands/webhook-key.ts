import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";

/** The key that is configured, or one that is drawn once and kept in the data folder. */
export async function openWebhookKey({
  dataDir,
  webhooks,
}: Pick<Config, "dataDir" | "webhooks">): Promise<string> {
  if (webhooks.signingKey !== null) return webhooks.signingKey.reveal();
  await prepareDataFolder(dataDir);
  const file = join(dataDir, "webhook-key");
  const drawn = randomBytes(32).toString("base64");
  await writeFile(file, drawn, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return (await readFile(file, "utf8")).trim();
}
