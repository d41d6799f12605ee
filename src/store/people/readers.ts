import type { Database, Queryable } from "../database.ts";

export interface ReaderToAdd {
  /** What follows `tieout_reader_` in the name of the login. */
  name: string;
  password: string;
  /** `null`: all of them. */
  accountIds: readonly number[] | null;
  wallets: boolean;
  by: string;
}

/** Returns the name of the login. Needs a role that may make others. */
export async function addReader(owner: Database, reader: ReaderToAdd): Promise<string> {
  const [row] = await owner.query<{ login: string }>(
    "select tieout.add_reader($1, $2, $3, $4, $5) as login",
    [reader.name, reader.password, reader.accountIds, reader.wallets, reader.by],
  );
  return row?.login ?? "";
}

/** `false`: there is none of this name. */
export async function removeReader(owner: Database, name: string, by: string): Promise<boolean> {
  const [row] = await owner.query<{ removed: boolean }>("select tieout.remove_reader($1, $2) as removed", [
    name,
    by,
  ]);
  return row?.removed ?? false;
}

export interface ReaderRow {
  login: string;
  /** `null`: all of them. */
  accounts: string[] | null;
  wallets: boolean;
  created_at: string;
  created_by: string;
}

export async function listReaders(database: Queryable): Promise<ReaderRow[]> {
  return database.query<ReaderRow>(
    `select r.role_name as login,
            case when r.account_ids is not null
                 then array(select a.name from tieout.accounts as a where a.id = any(r.account_ids) order by a.name) end as accounts,
            r.wallets, r.created_at::text, r.created_by
     from tieout.reader_roles as r
     order by r.role_name`,
  );
}

/** Says whether what readers could make others wait or fill the disk with is closed to them; only a superuser can close it. */
export async function closeToReaders(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ closed: boolean }>("select tieout.close_to_readers() as closed");
  return row?.closed ?? false;
}
