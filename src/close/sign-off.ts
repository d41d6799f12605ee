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

/** A pack on disk, for as long as somebody reads it. */
export interface WrittenPack {
  path: string;
  fileName: string;
  manifestSha256: string;
}

/**
 * Makes the pack of a prepared or closed period again, and refuses to hand it out when it is not the one that was signed:
 * that would mean that something changed which never may.
 */
export async function withPack<T>(
  database: Database,
  key: KeyObject,
  period: Period,
  use: (pack: WrittenPack) => Promise<T>,
  onFile?: OnFile,
): Promise<T> {
  const events = await signedEvents(database, period);
  const prepared = events.findLast(({ event }) => event === "prepared");
  if (prepared === undefined) {
    throw new TieoutError(
      "period_refused",
      `${period.month} is ${period.state}: a pack is made of a month that was prepared or closed`,
    );
  }
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
    return use({ path, fileName: packFileName(period), manifestSha256: made.manifestSha256 });
  };
  return withPackParts(database, orderOf(period, prepared), zip, onFile);
}

export function packFileName({ account, month }: Pick<Period, "account" | "month">): string {
  return `tieout-${account.replaceAll(/[^\w.-]/g, "_")}-${month}.zip`;
}

/** Up to the last signature: what is asked for later, a reopening say, leaves the pack as it is. */
async function signedEvents(database: Database, period: Period): Promise<PeriodEventRow[]> {
  if (period.state !== "prepared" && period.state !== "closed") return [];
  const events = await listPeriodEvents(database, period);
  const wanted = period.state === "closed" ? "approved" : "prepared";
  return events.slice(0, events.findLastIndex(({ event }) => event === wanted) + 1);
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
