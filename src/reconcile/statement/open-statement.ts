import { decodeHead, detectEncoding, isMadeIntoText } from "./decode.ts";
import { recogniseCells } from "./file-text.ts";
import type { Vocabulary } from "./own-profiles.ts";
import { aliasIn, type Profile } from "./profile.ts";
import { providerOf } from "./provider-names.ts";
import { createRowReader } from "./read-rows.ts";
import { firstLines, type Layout, type LayoutQuestion, recogniseLayout } from "./recognise-layout.ts";
import { FileProblemError, unreadable } from "./refusal.ts";
import type { TableChoice } from "./table-choice.ts";
import { digestSource, type SourceDigest, type StatementSource } from "./source.ts";

/** A file whose hash, encoding, layout and provider are known; none of its rows has been read. */
export interface OpenedStatement {
  readonly source: StatementSource;
  readonly digest: SourceDigest;
  readonly encoding: string;
  readonly layout: Layout;
  readonly provider: string;
  readonly providerNames: Vocabulary["providerNames"] | undefined;
  /** What is to be said of the file beside its statement. */
  readonly warnings: TableChoice["warnings"];
}

export async function openStatement(
  { profiles, providerNames, forProvider }: Pick<Vocabulary, "profiles"> & Partial<Vocabulary>,
  source: StatementSource,
  asked: { provider: string | null; profileName: string | null },
): Promise<OpenedStatement> {
  const { profileName } = asked;
  const named = asked.provider === null ? null : providerOf(asked.provider, providerNames);
  const stated = profiles.find(({ name }) => name === profileName);
  if (profileName !== null && !stated) {
    const names = profiles.map(({ name }) => name).join(", ");
    throw new FileProblemError(
      "file_profile_unknown",
      `there is no profile ${profileName}: choose one of ${names}`,
    );
  }
  if (named !== null && stated?.provider && providerOf(stated.provider, providerNames) !== named) {
    throw new FileProblemError(
      "file_profile_unknown",
      `profile ${stated.name} is for ${stated.provider}: leave out the provider ${named}, or choose another profile`,
    );
  }
  const digest = await digestSource(source);
  const detected = detectEncoding(digest.head, stated?.encoding);
  const question = { fileName: source.name, profiles, provider: named, profileName };
  const { head, layout, warnings, encoding } = isMadeIntoText(detected)
    ? {
        ...oneSheet(
          await recogniseCells(() => source.bytes(), { start: digest.head, encoding: detected }, question),
        ),
        encoding: detected,
      }
    : recogniseText(digest.head, { ...question, encoding: detected });
  const { profile } = layout;
  const word = named ?? profile.provider ?? providerInRows(head, layout);
  if (word === null) {
    throw new FileProblemError(
      "file_profile_unknown",
      `profile ${profile.name} is for any provider: name the provider, or give the file a column provider`,
    );
  }
  const provider = providerOf(word, providerNames);
  const worded = { ...layout, profile: forProvider?.(profile, provider) ?? profile };
  return { source, digest, encoding, layout: worded, provider, providerNames, warnings };
}

/** The sheets that are not read would be missed, and what is in them would be missing from the statement. */
function oneSheet(choice: TableChoice): TableChoice {
  const { alike = [], layout } = choice;
  if (alike.length === 0) return choice;
  const names = [layout.sheet ?? "", ...alike].map((name) => JSON.stringify(name)).join(", ");
  throw unreadable(`several of its sheets hold lines (${names}): save each as a file of its own`);
}

type RecognisedText = TableChoice & { encoding: string };

/**
 * What is not UTF-8 and was imported without naming a profile is in the encoding of one that was kept: a profile is to be
 * named for the first file only.
 */
function recogniseText(
  bytes: Uint8Array,
  { encoding, ...question }: Omit<LayoutQuestion, "head"> & { encoding: string },
): RecognisedText {
  const recognise = (as: string, profiles: readonly Profile[]): RecognisedText => {
    const head = decodeHead(bytes, as);
    return { head, layout: recogniseLayout({ ...question, profiles, head }), warnings: [], encoding: as };
  };
  if (question.profileName !== null || encoding !== "utf-8") return recognise(encoding, question.profiles);
  if (isDecodable(bytes, encoding)) {
    const found = recognise(encoding, question.profiles);
    // The first letter that shows the encoding may come after the part that was looked at.
    const isPlain = bytes.every((byte) => byte < 0x80);
    return { ...found, encoding: (isPlain ? found.layout.profile.encoding : undefined) ?? encoding };
  }
  for (const other of new Set(question.profiles.flatMap((profile) => profile.encoding ?? []))) {
    if (!isDecodable(bytes, other)) continue;
    try {
      return recognise(
        other,
        question.profiles.filter((profile) => profile.encoding === other),
      );
    } catch (error) {
      if (!(error instanceof FileProblemError)) throw error;
    }
  }
  return recognise(encoding, question.profiles);
}

function isDecodable(bytes: Uint8Array, encoding: string): boolean {
  try {
    decodeHead(bytes, encoding);
    return true;
  } catch (error) {
    if (error instanceof FileProblemError) return false;
    throw error;
  }
}

const linesAskedMax = 1_000;

/** What the first row that is filled in says; a row that says otherwise is rejected when its turn comes. */
function providerInRows(head: string, layout: Layout): string | null {
  const indexes = layout.columns.indexes.get("provider") ?? [];
  if (indexes.length === 0) return null;
  const reader = createRowReader(layout);
  const start = firstLines(head, layout.lineBreak, layout.headerLineNo + linesAskedMax);
  for (const { lineNo, cells } of [...reader.push(start), ...reader.end()]) {
    const word = indexes.map((index) => (cells[index] ?? "").trim()).find((text) => text !== "");
    if (lineNo > layout.headerLineNo && word !== undefined) return aliasIn(layout.profile, word);
  }
  return null;
}
