import { decodeHead, detectEncoding } from "./decode.ts";
import { providerOf } from "./provider-names.ts";
import type { Profile } from "./profile.ts";
import { type Layout, recogniseLayout } from "./recognise-layout.ts";
import { FileProblemError } from "./refusal.ts";
import { digestSource, type SourceDigest, type StatementSource } from "./source.ts";

/** A file whose hash, encoding, layout and provider are known; none of its rows has been read. */
export interface OpenedStatement {
  readonly source: StatementSource;
  readonly digest: SourceDigest;
  readonly encoding: string;
  readonly layout: Layout;
  readonly provider: string;
}

export async function openStatement(
  profiles: readonly Profile[],
  source: StatementSource,
  asked: { provider: string | null; profileName: string | null },
): Promise<OpenedStatement> {
  const { profileName } = asked;
  const named = asked.provider === null ? null : providerOf(asked.provider);
  const stated = profiles.find(({ name }) => name === profileName);
  if (profileName !== null && !stated) {
    const names = profiles.map(({ name }) => name).join(", ");
    throw new FileProblemError(
      "file_profile_unknown",
      `there is no profile ${profileName}: choose of ${names}`,
    );
  }
  const digest = await digestSource(source);
  const encoding = detectEncoding(digest.head, stated?.encoding);
  const head = decodeHead(digest.head, encoding);
  const layout = recogniseLayout({ head, profiles, provider: named, profileName });
  const provider = named ?? layout.profile.provider;
  if (provider === null) {
    throw new FileProblemError(
      "file_profile_unknown",
      `profile ${layout.profile.name} is for any provider: name it with --provider`,
    );
  }
  return { source, digest, encoding, layout, provider };
}
