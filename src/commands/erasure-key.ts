import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config.ts";
import { TieoutError } from "../core/errors.ts";
import { createErasureKey, type ErasureKey, erasureKeyBytes } from "../core/erasure.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import { type SecretFile, secretFile } from "../store/embedded/secret-files.ts";
import { readOrDraw } from "../store/embedded/whole-file.ts";

type Places = Pick<Config, "erasureKey" | "databaseUrl" | "dataDir">;

/** The key that is configured, or the one in the data folder; `null` when nothing was ever erased here. */
export async function findErasureKey(places: Places): Promise<ErasureKey | null> {
  if (places.erasureKey !== null) return readKey(places.erasureKey.reveal());
  const text = await readFile(fileOf(places), "utf8").catch(() => null);
  return text === null ? null : readKey(text);
}

/** The same, drawn if there is none. A configured database has several users, and each of them needs the same one. */
export async function openErasureKey(places: Places): Promise<ErasureKey> {
  if (places.erasureKey === null && places.databaseUrl !== null)
    throw new TieoutError(
      "config_invalid",
      "ERASURE_KEY: missing; put the output of openssl rand -hex 32 into a file, and set ERASURE_KEY_FILE to it wherever tieout runs",
    );
  if (places.erasureKey === null) {
    await prepareDataFolder(places.dataDir);
    await readOrDraw(fileOf(places), () => `${randomBytes(erasureKeyBytes).toString("hex")}\n`);
  }
  const key = await findErasureKey(places);
  if (key === null) throw new TieoutError("config_invalid", `${fileOf(places)} cannot be read`);
  return key;
}

function fileOf({ dataDir }: Places): SecretFile {
  return secretFile(dataDir, "erasureKey");
}

function readKey(text: string): ErasureKey {
  if (/^[0-9a-f]{64}$/i.test(text.trim())) return createErasureKey(Buffer.from(text.trim(), "hex"));
  throw new TieoutError(
    "config_invalid",
    "ERASURE_KEY: expected 64 hexadecimal digits, as openssl rand -hex 32 writes them",
  );
}
