import { randomBytes } from "node:crypto";
import type { Config } from "../config.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import { secretFile } from "../store/embedded/secret-files.ts";
import { readOrDraw } from "../store/embedded/whole-file.ts";

/** The key that is configured, or one that is drawn once and kept in the data folder. */
export async function openWebhookKey({
  dataDir,
  webhooks,
}: Pick<Config, "dataDir" | "webhooks">): Promise<string> {
  if (webhooks.signingKey !== null) return webhooks.signingKey.reveal();
  await prepareDataFolder(dataDir);
  return readOrDraw(secretFile(dataDir, "webhookKey"), () => randomBytes(32).toString("base64"));
}
