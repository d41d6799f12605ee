import type { HttpBindings } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AccountReader } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import type { OpenErasureKey } from "../store/erasure/erased-subjects.ts";
import type { Access } from "../access/access.ts";
import type { ApprovalHandlers } from "../access/approvals.ts";
import type { Caller } from "../access/caller.ts";
import type { SessionRing } from "../access/session-ring.ts";
import type { Client } from "./client-address.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { KeyRing } from "../access/key-ring.ts";
import type { RateLimits, RatePolicies, RateState } from "./rate-limit.ts";
import type { ReadinessCheck } from "./health/readiness.ts";
import type { ErasureKey } from "../core/erasure.ts";
import type { Memory } from "../core/remember.ts";

export interface ApiDeps {
  now: () => number;
  newRequestId: () => string;
  version: Record<string, string | number | null>;
  readiness: ReadinessCheck[];
  /** Keys, idempotency, all writes, and reads that must not miss anything. */
  database: Database;
  /** Reads that state their age; the same database when left out. */
  readDatabase?: Database;
  /** For statements with rows of people whose data was erased. */
  erasureKey?: OpenErasureKey;
  /** For proposing an erasure: drawn when there is none yet. Left out, none can be proposed here. */
  openErasureKey?: () => Promise<ErasureKey>;
  /** For new keys. */
  randomBytes?: (count: number) => Uint8Array;
  rateLimits?: Partial<RatePolicies>;
  /** Addresses and networks whose `X-Forwarded-…` headers are believed; none when left out. */
  trustedProxies?: readonly string[];
  /** Whether we answer to this host name; to any when left out. */
  isOurHost?: (host: string) => boolean;
  /** Asks for a run over an account. Left out, or failing, the next round of the workers looks at it anyway. */
  wakeReconcile?: (accountId: number) => Promise<void>;
  /** The address that people reach us by, for links that are handed on; left out, links begin with the path. */
  baseUrl?: string;
  /** What is done when something is approved, by kind, beyond what `src/access` does itself. */
  approvalHandlers?: ApprovalHandlers;
  /** Where a browser goes that opens the bare address. */
  home?: string;
  /** Routes of other rooms: each is handed the API and adds its own. */
  extensions?: readonly ((api: Api) => void)[];
  metrics: {
    observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
    render(): Promise<{ contentType: string; body: string }>;
  };
  log: {
    info(fields: object): void;
    warn?(fields: object): void;
    error(fields: object): void;
  };
}

/** The application while it is put together. */
export interface Api {
  app: OpenAPIHono<ApiEnv>;
  deps: ApiDeps;
  /** Every route and who may use it, by method and path. A route that is not listed is refused. */
  access: Map<string, Access>;
  keys: KeyRing;
  sessions: SessionRing;
  limits: RateLimits;
  refusals: Refusals;
  ownWrites: OwnWrites;
  /** Up to when the data of some accounts is complete. */
  freshness: Memory<string | null>;
  /** A failure as a page, for browsers that open an unknown address; set by the web room. */
  failurePage?: (c: ApiContext, error: unknown) => Response | Promise<Response>;
}

/** Keys and sign-ins that were refused: the audit log names failed attempts as well. */
export interface Refusals {
  note(
    c: ApiContext,
    refused: { reason: string } & (
      | { action: "key.refused"; key: string }
      /** `subject`: what was tried, such as a link. */
      | { action: "session.refused"; subject: string }
    ),
  ): void;
}

export type ApiEnv = {
  /** `inside`: the page asks on behalf of a signed-in person. Requests from outside cannot carry it. */
  Bindings: HttpBindings & { inside?: { caller: Caller; client: Client; requestId: string } };
  Variables: {
    requestId: string;
    client: Client;
    caller?: Caller;
    rate?: RateState;
    bodyText?: string;
    /** For pages that need more than nothing. */
    contentSecurityPolicy?: string;
  };
};

export type ApiContext = Context<ApiEnv>;

export function readerFor(api: Api, caller: Caller): AccountReader {
  const { database, readDatabase = database } = api.deps;
  return {
    database: api.ownWrites.areRecent(caller.actor) ? database : readDatabase,
    accountIds: caller.accountIds,
  };
}
