import type { KeyObject } from "node:crypto";
import { join } from "node:path";
import { TieoutError } from "../core/errors.ts";
import { instantOf } from "../store/clock-time.ts";
import type { Database } from "../store/database.ts";
import { listPeriodEvents, type PeriodEventRow } from "../store/periods/period-reads.ts";
import type { Checklist } from "./checklist.ts";
import { measure } from "./measure.ts";
import type { AcceptedLine, PackContents, PackOrder } from "./pack-contents.ts";
import type { Period } from "./period.ts";
import { canonicalText, signatureText } from "./sign-pack.ts";
import { signatureName, signOffName } from "./verify-pack.ts";
import { type OnFile, type PackParts, textPart, withPackParts } from "./write-pack.ts";
import { writeZip } from "./zip.ts";

/** A pack on disk, for as long as someone reads it. */
export interface WrittenPack {
  path: string;
  fileName: string;
  manifestSha256: string;
}

export interface PackWanted {
  /** The close that is meant, by the hash that was signed; left out: the month as it stands. */
  packSha256?: string | undefined;
  onFile?: OnFile;
}

/**
 * Makes the pack of a prepared or closed period again, or that of an earlier close, and refuses to hand it out when it is
 * not the one that was signed: that would mean that something changed which never may.
 */
export async function withPack<T>(
  database: Database,
  key: KeyObject,
  period: Period,
  use: (pack: WrittenPack) => Promise<T>,
  { packSha256, onFile }: PackWanted = {},
): Promise<T> {
  const all = await listPeriodEvents(database, period);
  const events = signedEvents(all, period, packSha256);
  const prepared = events.findLast(({ event }) => event === "prepared");
  if (prepared === undefined) throw new TieoutError("period_refused", whyNoPack(all, period, packSha256));
  const zip = async (made: PackParts, folder: string) => {
    const signed = prepared.packSha256?.toString("hex");
    if (made.manifestSha256 !== signed) {
      throw new TieoutError(
        "pack_invalid",
        `the pack of ${period.account} ${period.month} was signed as ${signed}, and made again it is ${made.manifestSha256}: run tieout verify`,
      );
    }
    const signOff = signOffText(made.manifestSha256, events);
    const hashes = {
      manifest_sha256: made.manifestSha256,
      sign_off_sha256: measure(Buffer.from(signOff)).sha256,
    };
    const path = join(folder, "pack.zip");
    await writeZip(path, [
      ...made.parts,
      textPart(signOffName, signOff),
      textPart(signatureName, signatureText(key, hashes)),
    ]);
    const isEarlier = made.manifestSha256 !== period.row?.packSha256?.toString("hex");
    const fileName = packFileName(period, isEarlier ? made.manifestSha256 : null);
    return use({ path, fileName, manifestSha256: made.manifestSha256 });
  };
  return withPackParts(database, orderOf(period, prepared), zip, onFile);
}

/** An earlier close has its hash in the name, so that it does not take the place of the one that stands. */
function packFileName({ account, month }: Pick<Period, "account" | "month">, earlier: string | null): string {
  const which = earlier === null ? "" : `-${earlier.slice(0, 8)}`;
  return `tieout-${account.replaceAll(/[^\w.-]/g, "_")}-${month}${which}.zip`;
}

/** Up to the signature that is meant: what is asked for later, a reopening say, leaves the pack as it is. */
function signedEvents(
  events: readonly PeriodEventRow[],
  { state, row }: Period,
  packSha256: string | undefined,
): PeriodEventRow[] {
  const isMeant = ({ event, packSha256: signed }: PeriodEventRow) =>
    event === "approved" && signed?.toString("hex") === packSha256;
  const isStanding = packSha256 === undefined || row?.packSha256?.toString("hex") === packSha256;
  if (!isStanding) return events.slice(0, events.findLastIndex(isMeant) + 1);
  if (state !== "prepared" && state !== "closed") return [];
  const last = state === "closed" ? "approved" : "prepared";
  return events.slice(0, events.findLastIndex(({ event }) => event === last) + 1);
}

function whyNoPack(
  events: readonly PeriodEventRow[],
  { month, state }: Period,
  packSha256: string | undefined,
): string {
  const closes = events
    .filter(({ event }) => event === "approved")
    .map(({ actorName, at, packSha256: signed }) => {
      return `${signed?.toString("hex")} (approved by ${actorName} at ${instantOf(at)})`;
    });
  const had =
    closes.length === 0
      ? "it was never closed"
      : `name an earlier close by the hash of its pack: ${closes.join(", ")}`;
  return packSha256 === undefined
    ? `${month} is ${state}: a pack is made of a month that was prepared or closed; ${had}`
    : `no close of ${month} was signed as ${packSha256}; ${had}`;
}

/** What a preparation was of, from its event. */
export function orderOf(period: Period, prepared: PeriodEventRow): PackOrder {
  const { contents, ...checklist } = prepared.checklist as Checklist & { contents: PackContents };
  return {
    period,
    knownAt: instantOf(prepared.knownAt ?? ""),
    contents,
    checklist,
    accepted: prepared.accepted as AcceptedLine[],
  };
}

function signOffText(manifestSha256: string, events: readonly PeriodEventRow[]): string {
  return canonicalText({
    manifest_sha256: manifestSha256,
    events: events.map(({ event, actor, actorName, at, reason, hash }) => ({
      event,
      by: actor,
      name: actorName,
      at: instantOf(at),
      ...(reason === null ? {} : { reason }),
      event_sha256: hash.toString("hex"),
    })),
  });
}
