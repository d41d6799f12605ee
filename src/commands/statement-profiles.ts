import { presentProfile, presentWholeProfile } from "../api/profiles/schema.ts";
import { usageError } from "../core/errors.ts";
import { findProfile, listProfiles, retireProfile } from "../reconcile/statement/own-profiles.ts";
import type { CommandContext } from "./context.ts";
import { actorName } from "./actor-name.ts";
import { answer } from "./write-out.ts";
import { chooseAccount } from "./choose-account.ts";
import { withExistingStore } from "./with-store.ts";
import { table } from "./statement-table.ts";

interface ProfileFlags {
  account?: string;
  json: boolean;
}

export async function listProfilesCommand(context: CommandContext, flags: ProfileFlags): Promise<void> {
  await withExistingStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const profiles = (await listProfiles(database, account.id)).map(presentProfile);
    answer(flags, profiles, describeProfiles(profiles));
  });
}

export async function showProfileCommand(
  context: CommandContext,
  name: string,
  flags: ProfileFlags,
): Promise<void> {
  await withExistingStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const known = await findProfile(database, { accountId: account.id, name });
    answer(flags, presentWholeProfile(known), JSON.stringify(known.profile, null, 2));
  });
}

export async function retireProfileCommand(
  context: CommandContext,
  name: string,
  flags: ProfileFlags & { reason: string },
): Promise<void> {
  if (flags.reason.trim() === "") throw usageError("--reason: say why it is retired");
  await withExistingStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const request = { accountId: account.id, name, reason: flags.reason, actor: actorName() };
    const known = await database.transaction((tx) => retireProfile(tx, request));
    answer(flags, presentProfile(known), `${name} retired: no further file is read with it`);
  });
}

function describeProfiles(profiles: readonly ReturnType<typeof presentProfile>[]): string {
  return table(
    ["name", "version", "provider", "whose", "recognised", "about"],
    profiles.map((each) => [
      each.name,
      String(each.version),
      each.provider ?? "(any)",
      each.built_in ? "built in" : "own",
      each.recognise === "by_header" ? (each.file_name ?? "by its header") : "when named",
      each.about ?? "",
    ]),
  );
}
