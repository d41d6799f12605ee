import { isoTime } from "../api/present.ts";
import { usageError } from "../core/errors.ts";
import { issueWords } from "../core/issue-words.ts";
import { nearestWord } from "../core/nearest-word.ts";
import {
  accountSettingNames,
  checkAccountSetting,
  setAccountSetting,
  showAccountSetting,
  type ShownSetting,
} from "../reconcile/account-settings.ts";
import type { CommandContext } from "./context.ts";
import { readGiven } from "./given-file.ts";
import { actorName } from "./actor-name.ts";
import { writeOut } from "./write-out.ts";
import { chooseAccount } from "./choose-account.ts";
import { withExistingStore, withStore } from "./with-store.ts";

interface SettingFlags {
  account?: string;
  json: boolean;
}

export async function showSettingsCommand(
  context: CommandContext,
  name: string | undefined,
  flags: SettingFlags,
): Promise<void> {
  const wanted = name === undefined ? accountSettingNames : [nameOf(name)];
  await withExistingStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const shown = [];
    for (const each of wanted)
      shown.push(await showAccountSetting(database, { accountId: account.id, name: each }));
    const printed = shown.map((each) => (flags.json ? present(account.name, each) : each.value));
    if (name !== undefined) print(printed[0], flags.json);
    else
      print(
        flags.json ? printed : Object.fromEntries(shown.map((each) => [each.name, each.value])),
        flags.json,
      );
  });
}

export async function setSettingCommand(
  context: CommandContext,
  given: string,
  text: string,
  flags: SettingFlags & { reason: string },
): Promise<void> {
  const name = nameOf(given);
  if (flags.reason.trim() === "") throw usageError("--reason: say why it is set");
  const checked = checkAccountSetting(name, await valueOf(text));
  if ("issues" in checked) {
    const problems = checked.issues.map((issue) => `${[name, ...issue.path].join(".")} ${issueWords(issue)}`);
    throw usageError(problems.join("\n"));
  }
  await withStore(context, async ({ database }) => {
    const account = await chooseAccount(database, flags.account);
    const author = { reason: flags.reason, actor: actorName(), seenVersion: null };
    await setAccountSetting(database, { account, name, value: checked.value, ...author });
    const shown = await showAccountSetting(database, { accountId: account.id, name });
    if (flags.json) print(present(account.name, shown), true);
    else context.say(`${name} of ${account.name} is at version ${shown.version}.`);
  });
}

function nameOf(given: string): (typeof accountSettingNames)[number] {
  const found = accountSettingNames.find((name) => name === given);
  if (found !== undefined) return found;
  const near = nearestWord(given, accountSettingNames);
  const hint = near === null ? `there are ${accountSettingNames.join(", ")}` : `did you mean ${near}?`;
  throw usageError(`there is no setting ${JSON.stringify(given)}; ${hint}`);
}

/** JSON where it is JSON, and a plain word otherwise, so that EUR needs no quotes within quotes. */
async function valueOf(given: string): Promise<unknown> {
  if (given === "default") return null;
  const text = given.startsWith("@") ? (await readGiven(given.slice(1))).toString("utf8") : given;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (/^[\w-]+$/.test(text)) return text;
    throw usageError(`the value is not JSON: ${(error as Error).message}`);
  }
}

function present(account: string, { setBy, setAt, ...shown }: ShownSetting) {
  return { account, ...shown, set_by: setBy, set_at: isoTime(setAt) };
}

function print(value: unknown, json: boolean): void {
  writeOut(`${JSON.stringify(value, null, json ? undefined : 2)}\n`);
}
