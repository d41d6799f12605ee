import type { Hono } from "hono";
import type { Api, ApiContext, ApiEnv } from "../api/deps.ts";
import type { Caller } from "../access/caller.ts";
import type { Memory } from "../core/remember.ts";
import type { OidcSettings } from "../access/oidc.ts";
import type { RateLimits } from "../api/rate-limit.ts";
import type { Role } from "../core/roles.ts";
import type { Scope } from "../core/scopes.ts";
import type { AccountReader } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import type { AssetFiles } from "./asset-files.ts";
import type { KeptFigures } from "./kept-figures.ts";
import type { Notice } from "./notice.ts";
import type { Preferences } from "./preferences.ts";
import type { RefusedForm } from "./refusal.ts";
import type { StatementActions } from "./statements/actions.ts";

/** What the page needs beyond the API it is built on. */
export interface WebDeps {
  /** For session tokens. */
  randomBytes: (count: number) => Uint8Array;
  /** The company's own sign-in service; left out where none is configured. */
  oidc?: OidcSettings;
  /** For reports on screens, which may take a while; where left out, that of everything else. */
  reportDatabase?: Database;
  /** Reading and matching statements; left out where a process cannot do that. */
  statements?: StatementActions;
  /** Asks the aggregator once, for an account by name; left out where a process has no accounts. */
  testConnection?: (account: string) => Promise<ConnectionResult>;
}

export interface ConnectionResult {
  answered: boolean;
  /** Why not, and which variable to correct; never what it holds. */
  says: string;
  /** The key or the secret is what is wrong. */
  isRefused?: boolean;
}

/** The page while it is put together. */
export interface Web {
  api: Api;
  app: Hono<ApiEnv>;
  deps: WebDeps;
  assets: AssetFiles;
  limits: RateLimits;
  /** Words to choose from in filters, by who asks. */
  choices: Memory<FilterChoices>;
  /** The last refresh of the daily totals. */
  totals: Memory<unknown>;
  /** What a page does not wait for. */
  figures: KeptFigures;
}

export interface FilterChoices {
  accounts: string[];
  providers: string[];
  currencies: string[];
}

export type WebContext = ApiContext;

/** Who looks at the page: what they may do, and how they like to see it. */
export interface Visitor {
  caller: Caller;
  reader: AccountReader;
  name: string;
  email: string;
  roles: readonly Role[];
  /** Names of the accounts that they are limited to; `null`: all. */
  accounts: string[] | null;
  preferences: Preferences;
  /** Proves that a form was made by us for this session. */
  csrf: string;
  /** What the last action has to say, shown once. */
  notice: Notice | null;
  /** The form that was refused just now. */
  refused: RefusedForm | null;
}

export function may(visitor: Visitor, scope: Scope): boolean {
  return visitor.caller.scopes.has(scope);
}
