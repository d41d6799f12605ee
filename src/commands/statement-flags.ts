import { TieoutError, usageError } from "../core/errors.ts";
import type { ImportRequest } from "../reconcile/statement/import-statement.ts";
import { parseProfile } from "../reconcile/statement/own-profiles.ts";
import { parseStatementRef } from "../reconcile/statement/statement-ref.ts";
import { readGiven } from "./given-file.ts";
import type { Profile } from "../reconcile/statement/profile.ts";
import { readTime } from "./option-problems.ts";

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
  if (accepted === "") throw usageError("--accept: say why the file is accepted anyway");
  if ((flags.periodFrom === undefined) !== (flags.periodTo === undefined)) {
    throw usageError("--period-from and --period-to belong together");
  }
  const ownProfile = flags.profile?.endsWith(".json") ? await readProfile(flags.profile) : null;
  const asked = {
    provider: flags.provider ?? null,
    profileName: ownProfile?.name ?? flags.profile ?? null,
    generatedAt: readTime("--generated-at", flags.generatedAt),
    periodFrom: readTime("--period-from", flags.periodFrom),
    periodTo: readTime("--period-to", flags.periodTo),
    replaces: flags.replaces === undefined ? null : readReference("--replaces", flags.replaces),
    acceptReason: accepted ?? null,
  };
  return { asked, ownProfile };
}

export function readReference(option: string, text: string): number {
  const id = parseStatementRef(text);
  if (id !== null) return id;
  throw usageError(
    `${option}: expected an id as in tieout statement list, such as stm_12, found ${JSON.stringify(text)}`,
  );
}

async function readProfile(path: string): Promise<Profile> {
  const text = (await readGiven(path, { option: "--profile" })).toString("utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new TieoutError("profile_invalid", `--profile: ${path} is not JSON`);
  }
  return parseProfile(json);
}
