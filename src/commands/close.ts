import { createPublicKey } from "node:crypto";
import { createReadStream } from "node:fs";
import { counted } from "../core/counted.ts";
import {
  presentFact,
  presentPeriod,
  presentPeriodDetail,
  type PresentedPeriodDetail,
} from "../api/periods/schema.ts";
import { carryForward } from "../close/carry-forward.ts";
import type { ChecklistLine } from "../close/checklist.ts";
import { findPeriod, listPeriods, type Period } from "../close/period.ts";
import { NotInOrder, preparePeriod } from "../close/prepare.ts";
import { changesBeneath, readPeriod } from "../close/read-period.ts";
import { approvePeriod, reopenPeriod } from "../close/sign.ts";
import { withPack, type WrittenPack } from "../close/sign-off.ts";
import { verifyPack } from "../close/verify-pack.ts";
import { type ChangedFact, changesText } from "../core/changes-text.ts";
import { formatInstant } from "../core/instant.ts";
import type { Database } from "../store/database.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import { writeWholeFile } from "../store/files/whole-file.ts";
import type { Signer } from "../store/periods/period-writes.ts";
import { actorName } from "./actor-name.ts";
import { openAuditHeads } from "./audit-heads-file.ts";
import { chooseAccount } from "./choose-account.ts";
import type { CommandContext } from "./context.ts";
import { moneyByCurrency } from "./money-text.ts";
import { placeToWrite } from "./option-problems.ts";
import { answer } from "./write-out.ts";
import { withExistingStore } from "./with-store.ts";
import { createRunningLine, type RunningLine } from "./running-line.ts";

export interface CloseFlags {
  account?: string;
  json: boolean;
}

interface CarryFlags {
  owner: string;
  reason: string;
  provider?: string;
  code?: string;
}

export async function showStatus(
  context: CommandContext,
  month: string | null,
  flags: CloseFlags,
): Promise<void> {
  await withExistingStore(quiet(context), async ({ database }) => {
    if (month !== null) {
      const detail = await readPeriod(database, await find(database, month, flags));
      const shown = presentPeriodDetail(detail);
      const reasons = new Map(detail.accepted.map(({ line, reason }) => [line, reason]));
      const lines = detail.checklist.lines.flatMap((line) => [
        lineText(line),
        ...moneyLines(line),
        ...under("accepted because", reasons.get(line.line) ?? ""),
      ]);
      print(flags, shown, [describe(detail.period, detail.changes), ...lines, ...historyLines(shown)]);
      return;
    }
    if (flags.account !== undefined) await chooseAccount(database, flags.account);
    const periods = await listPeriods({ database, accountIds: null }, formatInstant(context.now()));
    const wanted = periods.filter(({ account }) => account === (flags.account ?? account));
    const shown: unknown[] = [];
    const described: string[] = [];
    for (const period of wanted) {
      const changes = await changesBeneath(database, period);
      shown.push({ ...presentPeriod(period), changes: changes.map(presentFact) });
      described.push(describe(period, changes));
    }
    print(flags, shown, described);
  });
}

/** `false` when the month is not in order: the lines say why. */
export async function prepare(
  context: CommandContext,
  month: string,
  flags: CloseFlags & { accept: readonly { line: string; reason: string }[] },
): Promise<boolean> {
  return withExistingStore(quiet(context), async ({ database }) => {
    const period = await find(database, month, flags);
    const running = createRunningLine(context);
    running.show(`Preparing ${month}`);
    try {
      const onFile = showFiles(running);
      await preparePeriod(database, period, flags.accept, signer(), { onFile }).finally(running.end);
    } catch (error) {
      if (!(error instanceof NotInOrder)) throw error;
      print(flags, { prepared: false, lines: error.lines }, [
        `${month} is not in order:`,
        ...error.lines.map(lineText),
        "Put it in order, or accept each with --accept line=reason.",
        ...(error.lines.some(({ line }) => line === "read_again")
          ? ["The month is being read again by the service, or by tieout sync --once."]
          : []),
      ]);
      return false;
    }
    await printAfter(database, period, flags);
    return true;
  });
}

export async function approve(
  context: CommandContext,
  month: string,
  flags: CloseFlags & { packSha256?: string },
): Promise<void> {
  await withExistingStore(quiet(context), async ({ database }) => {
    const period = await find(database, month, flags);
    await approvePeriod(database, period, signer(), { packSha256: flags.packSha256 ?? null });
    await printAfter(database, period, flags);
  });
}

export async function reopen(
  context: CommandContext,
  month: string,
  flags: CloseFlags & { reason: string },
): Promise<void> {
  await withExistingStore(quiet(context), async ({ database }) => {
    const period = await find(database, month, flags);
    await reopenPeriod(database, period, flags.reason, signer());
    await printAfter(database, period, flags);
  });
}

export async function carry(
  context: CommandContext,
  month: string,
  flags: CloseFlags & CarryFlags,
): Promise<void> {
  await withExistingStore(quiet(context), async ({ database }) => {
    const done = await carryForward(database, await find(database, month, flags), flags, signer());
    print(flags, done, [
      done.carried === 0
        ? "Nothing is left to carry forward"
        : `${done.carried} carried forward, and assigned to ${done.owner}`,
    ]);
  });
}

export async function pack(
  context: CommandContext,
  month: string,
  flags: CloseFlags & { out?: string; packSha256?: string },
): Promise<void> {
  const asked = flags.out === undefined ? undefined : placeToWrite("--out", flags.out);
  await prepareDataFolder(context.config.dataDir);
  const { key } = await openAuditHeads(context.config);
  await withExistingStore(quiet(context), async ({ database }) => {
    const period = await find(database, month, flags);
    const running = createRunningLine(context);
    running.show("Making the pack");
    const write = async (made: WrittenPack) => {
      running.end();
      const out = asked ?? made.fileName;
      const { bytes, manifest } = await verifyPack(made.path, createPublicKey(key));
      await writeWholeFile(out, createReadStream(made.path));
      print(flags, { file: out, manifest_sha256: made.manifestSha256, files: manifest.files.length, bytes }, [
        `${out}: ${counted(manifest.files.length, "file")}, ${counted(bytes, "byte")}, manifest ${made.manifestSha256}`,
      ]);
    };
    const { packSha256 } = flags;
    const wanted = { packSha256: packSha256?.toLowerCase(), onFile: showFiles(running) };
    await withPack(database, key, period, write, wanted).finally(running.end);
  });
}

function showFiles(running: RunningLine): (written: number, files: number) => void {
  return (written, files) => running.show(`${written} of ${counted(files, "file")} of the pack made`);
}

async function find(database: Database, month: string, { account }: CloseFlags): Promise<Period> {
  return findPeriod({ database, accountIds: null }, { account: account ?? null, month });
}

/** The user of this machine. Two people who share a user sign on the page. */
function signer(): Signer {
  const actor = actorName();
  return { actor, name: actor };
}

async function printAfter(database: Database, { month, account }: Period, flags: CloseFlags): Promise<void> {
  const after = await find(database, month, { ...flags, account });
  print(flags, presentPeriod(after), [describe(after)]);
}

function describe({ account, month, state, row }: Period, changes: readonly ChangedFact[] = []): string {
  const signed = [
    changes.length > 0 ? `lapses, because this has changed since: ${changesText(changes)}` : "",
    row?.preparedByName ? `prepared by ${row.preparedByName}` : "",
    row?.closedByName ? `approved by ${row.closedByName}` : "",
    row?.reopenAskedByName ? `${row.reopenAskedByName} asks to reopen it` : "",
    row?.packSha256 ? `pack ${row.packSha256.toString("hex")}` : "",
  ].filter((text) => text !== "");
  return [`${account} ${month}: ${state}`, ...signed].join(", ");
}

function lineText({ state, title, says }: Pick<ChecklistLine, "state" | "title" | "says">): string {
  return `  ${state.padEnd(5)}  ${title}: ${says}`;
}

function moneyLines({ parts }: Pick<ChecklistLine, "parts">): string[] {
  const open = moneyByCurrency(parts.flatMap(({ amounts }) => amounts));
  const carried = moneyByCurrency(parts.flatMap((part) => part.carried_amounts ?? []));
  return [...under("open", open), ...under("carried forward", carried)];
}

function historyLines({ events }: Pick<PresentedPeriodDetail, "events">): string[] {
  return events.map(({ event, name, at, reason, pack_sha256 }) => {
    const why = reason === null ? "" : `: ${reason}`;
    const which = pack_sha256 === null ? "" : `, pack ${pack_sha256}`;
    return `  ${event.replaceAll("_", " ")} by ${name} at ${at}${which}${why}`;
  });
}

function under(title: string, text: string): string[] {
  return text === "" ? [] : [`         ${title}: ${text}`];
}

function print(flags: CloseFlags, value: unknown, lines: readonly string[]): void {
  answer(flags, value, lines.join("\n"));
}

function quiet(context: CommandContext): CommandContext {
  return { ...context, say: () => undefined };
}
