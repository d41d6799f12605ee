import { readFile, stat } from "node:fs/promises";
import { TieoutError } from "../core/errors.ts";
import type { Instant } from "../core/instant.ts";
import type { ImportRequest } from "../reconcile/statement/import-statement.ts";
import { parseMoment } from "../reconcile/statement/moments.ts";
import { parseProfile } from "../reconcile/statement/own-profiles.ts";
import { parseStatementRef } from "../reconcile/statement/present-statement.ts";
import type { Profile } from "../reconcile/statement/profile.ts";

export interface TakeStatementFlags {
  provider?: string;
  account?: string;
  /** The name of a profile, or a file with one of the user's own. */
  profile?: string;
  generatedAt?: string;
  periodFrom?: string;
  periodTo?: string;
  replaces?: string;
  accept?: string;
  rejects?: string;
  json: boolean;
}

export type AskedRequest = Omit<ImportRequest, "account" | "actor" | "requestId">;

export interface ReadFlags {
  readonly asked: AskedRequest;
  readonly ownProfile: Profile | null;
}

/** All that can be refused before the database is asked for. */
export async function readFlags(flags: TakeStatementFlags): Promise<ReadFlags> {
  const accepted = flags.accept?.trim();
  if (accepted === "") throw new TieoutError("usage", "--accept: say why the file is taken all the same");
  if ((flags.periodFrom === undefined) !== (flags.periodTo === undefined)) {
    throw new TieoutError("usage", "--period-from and --period-to belong together");
  }
  const ownProfile = flags.profile?.endsWith(".json") ? await readProfile(flags.profile) : null;
  const asked = {
    provider: flags.provider ?? null,
    profileName: ownProfile?.name ?? flags.profile ?? null,
    generatedAt: readMoment("--generated-at", flags.generatedAt),
    periodFrom: readMoment("--period-from", flags.periodFrom),
    periodTo: readMoment("--period-to", flags.periodTo),
    replaces: flags.replaces === undefined ? null : readReference("--replaces", flags.replaces),
    acceptReason: accepted ?? null,
  };
  return { asked, ownProfile };
}

export function readReference(option: string, text: string): number {
  const id = parseStatementRef(text);
  if (id !== null) return id;
  throw new TieoutError(
    "usage",
    `${option}: expected an id as in tieout statement list, such as stm_12, found ${JSON.stringify(text)}`,
  );
}

/** The size of the file, so that progress has an end. */
export async function refuseMissingFile(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new TieoutError("usage", `cannot read ${path} (${error.code}): check the name`);
  });
  if (!found.isFile()) throw new TieoutError("usage", `${path} is not a file`);
  return found.size;
}

function readMoment(option: string, text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const moment = parseMoment(text);
  if (moment !== null) return moment;
  throw new TieoutError(
    "usage",
    `${option}: expected a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z, found ${JSON.stringify(text)}`,
  );
}

async function readProfile(path: string): Promise<Profile> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new TieoutError("usage", `--profile: cannot read ${path} (${error.code}): check the name`);
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new TieoutError("profile_invalid", `--profile: ${path} is no JSON`);
  }
  return parseProfile(json);
}
