import { TieoutError } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";
import { isPooled, type Queryable } from "./database.ts";

export function refusePooled(url: Secret, setting: string, who: string): void {
  if (!isPooled(url)) return;
  throw new TieoutError(
    "config_invalid",
    `${setting} goes through a pooler in transaction mode, and ${who} needs sessions of its own: give it the server's own address; only tieout serve can use the pooler`,
  );
}

/** What we say at the start of a session ourselves, and a pooler does not hand on: the role has to bring it along. */
const roleSettings = { timezone: "UTC", search_path: "tieout, public", statement_timeout: "1min" };

/** Figures of another zone would be wrong without a word, so a role that does not have its settings is refused. */
export async function checkRoleSettings(database: Queryable): Promise<void> {
  const [role] = await database.query<{ name: string; zone: string; path: string; limit: string }>(
    `select session_user as name, current_setting('timezone') as zone, current_setting('search_path') as path,
            current_setting('statement_timeout') as limit`,
  );
  if (role?.zone === roleSettings.timezone && /^"?tieout"?,/.test(role.path) && role.limit !== "0") return;
  const statements = Object.entries(roleSettings)
    .map(
      ([name, value]) =>
        `alter role ${role?.name} set ${name} = ${name === "search_path" ? value : `'${value}'`};`,
    )
    .join(" ");
  throw new TieoutError(
    "config_invalid",
    `behind a pooler in transaction mode the role ${role?.name} has to bring its settings along. At the server, run: ${statements} Then let the pooler reconnect`,
  );
}
