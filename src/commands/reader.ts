import { randomBytes } from "node:crypto";
import { usageError } from "../core/errors.ts";
import { accountIdsOf, accountNames } from "../store/accounts/accounts.ts";
import type { Database } from "../store/database.ts";
import {
  addReader,
  closeToReaders,
  listReaders,
  type ReaderRow,
  removeReader,
} from "../store/people/readers.ts";
import type { CommandContext } from "./context.ts";
import { asEmbedded, type Store } from "./open-store.ts";
import { withExistingStore, withStore } from "./with-store.ts";
import { actorName } from "./actor-name.ts";
import { answer, answerList } from "./write-out.ts";

interface AddReaderFlags {
  accounts?: string;
  wallets: boolean;
  json: boolean;
}

/** The address to connect with goes to stdout, once, with the password that was drawn for it. */
export async function addReaderCommand(
  context: CommandContext,
  name: string,
  flags: AddReaderFlags,
): Promise<void> {
  refuseName(name);
  await withStore(context, async (store) => {
    const accountIds = await readAccounts(store.database, flags.accounts);
    const password = randomBytes(24).toString("base64url");
    const login = await asRoleMaker(context, store, "owner", (owner) =>
      addReader(owner, { name, password, accountIds, wallets: flags.wallets, by: actorName() }),
    );
    const closed = await asRoleMaker(context, store, "superuser", closeToReaders);
    if (!closed)
      context.say(
        "Readers can still take advisory locks and make large objects: let a superuser run select tieout.close_to_readers()",
      );
    const url = new URL(store.url.reveal());
    url.username = login;
    url.password = password;
    answer(flags, { login, url: url.href }, url.href);
    context.say(`Reader ${login}. Its password is shown only now.`);
  });
}

export async function listReadersCommand(context: CommandContext, flags: { json: boolean }): Promise<void> {
  await withExistingStore(context, async ({ database }) => {
    const readers = await listReaders(database);
    answerList(context, flags, {
      rows: readers,
      present: (reader) => reader,
      describe,
      none: "There are no readers yet: tieout reader add makes one.",
    });
  });
}

export async function removeReaderCommand(context: CommandContext, name: string): Promise<void> {
  await withExistingStore(context, async (store) => {
    const removed = await asRoleMaker(context, store, "superuser", (maker) =>
      removeReader(maker, name.replace(/^tieout_reader_/, ""), actorName()),
    );
    if (!removed) throw usageError(`there is no reader ${name}: see tieout reader list`);
    context.say(`Reader ${name} is removed.`);
  });
}

function describe({ login, accounts, wallets, created_by }: ReaderRow): string {
  const seen = accounts === null ? "all accounts" : accounts.join(", ");
  return `${login}  ${seen}  ${wallets ? "wallets" : "wallets masked"}  made by ${created_by}`;
}

function refuseName(name: string): void {
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(name))
    throw usageError(
      `a reader's name has lower-case letters, digits and underscores, and begins with a letter; found ${JSON.stringify(name)}`,
    );
}

async function readAccounts(database: Database, given: string | undefined): Promise<number[] | null> {
  if (given === undefined) return null;
  const names = given.split(",").map((name) => name.trim());
  const { ids, unknown } = await accountIdsOf(database, names);
  if (unknown.length === 0) return ids;
  const known = (await accountNames(database)).join(", ");
  throw usageError(`--accounts: there is no ${unknown.join(", ")}; there are: ${known}`);
}

/** The service's own role may make none. In a configured database it takes an address of someone who may. */
async function asRoleMaker<T>(
  context: CommandContext,
  { embedded, database }: Store,
  as: "owner" | "superuser",
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return embedded === null ? work(database) : asEmbedded(context, embedded, as, work);
}
