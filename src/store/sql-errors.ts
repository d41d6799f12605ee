import { certificateProblem } from "../core/certificate.ts";
import { TieoutError } from "../core/errors.ts";
import { addressWithoutSecrets } from "../core/secret.ts";

/**
 * The one place where what Postgres and the driver say becomes one of our errors. The driver's own errors carry the
 * statement and its parameters, so they travel as `cause` and are never printed.
 */
export function asDatabaseError(error: unknown, url?: string): TieoutError {
  if (error instanceof TieoutError) return error;
  const code = codeOf(error);
  const where = url === undefined ? "the database" : `the database at ${addressWithoutSecrets(url)}`;
  const known = isNotifyQueueFull(error)
    ? notifyQueueFull
    : (tlsProblem(error) ??
      poolerProblem(error) ??
      connectionProblems[code] ??
      (isLostConnection(error) ? lost : undefined));
  if (known)
    return new TieoutError(known.code, `${where} ${known.says}`, { cause: error, retry: isTransient(error) });
  return new TieoutError("database_failed", `${where} failed (${code || messageOf(error)})`, {
    cause: error,
    retry: isTransient(error),
  });
}

/** What a server says of itself, such as that its disk is full, in our words; any other failure as it is. */
export function inOurWords(error: unknown): unknown {
  return serverStates.test(codeOf(error)) || isNotifyQueueFull(error) ? asDatabaseError(error) : error;
}

const serverStates = /^(25006|28000|28P01|42501|53100|53300|57P01|57P03)$/;

/** Whether the same work, done again from its beginning, may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TieoutError) return error.retry;
  const code = codeOf(error);
  return (
    transientSqlStates.test(code) ||
    transientNetworkCodes.has(code) ||
    isLostConnection(error) ||
    isNotifyQueueFull(error)
  );
}

/** The database cannot hold some value it was given: the value is at fault, not the statement and not the connection. */
export function isDataError(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error)) && !isNotifyQueueFull(error);
}

/**
 * Nothing can be told to others any more: some session listens and does not end its transaction. Postgres has one code for
 * this and for values that are too large for an index; the place in its source tells them apart in every language.
 */
export function isNotifyQueueFull(error: unknown): boolean {
  const { routine } = (error ?? {}) as { routine?: unknown };
  return codeOf(error) === "54000" && routine === "PreCommit_Notify";
}

/** Another row has the same key, written by someone else meanwhile. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** What the rules of periods say against it (migrations/0009_periods.sql), for a person to read; `null` for any other error. */
export function periodRefusalOf(error: unknown): string | null {
  const { table } = (error ?? {}) as { table?: unknown };
  return codeOf(error) === "23001" && table === "periods" ? messageOf(error) : null;
}

/** The rule of periods that says so, by its name in the migrations; `null` for any other error. */
export function periodRuleOf(error: unknown): string | null {
  const { constraint } = (error ?? {}) as { constraint?: unknown };
  return periodRefusalOf(error) !== null && typeof constraint === "string" ? constraint : null;
}

/** The writer does not know of the newest erasure yet; see `tieout.knows_erasures`. */
export function isErasureUnknown(error: unknown): boolean {
  return codeOf(error) === "TE001";
}

/** The server answers, but cannot write: its disk is full, or it takes no writes at all. */
export function cannotWrite(error: unknown): "disk_full" | "read_only" | null {
  const code = codeOf(error);
  return code === "53100" ? "disk_full" : code === "25006" ? "read_only" : null;
}

/** Two of us waited for each other, and this one was chosen to give way. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === "40P01";
}

/** Someone else held the lock for longer than we were willing to wait. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

// Connection lost, serialisation or deadlock, out of room or memory or connections, shutting down or starting up, a
// transaction that stood still for too long, or a server that takes no writes, as a replica before it is promoted.
const transientSqlStates = /^(08|40|53|57P|25P03|25006)/;
const transientNetworkCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"]);
function isLostConnection(error: unknown): boolean {
  return lostConnection.test(messageOf(error));
}

const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/;

/** What goes wrong before the password is sent: the driver has codes for certificates, and words for the rest. */
function tlsProblem(error: unknown): { code: "database_refused"; says: string } | null {
  const said = messageOf(error);
  const certificate = certificateProblem(
    error,
    "add sslrootcert=FILE to DATABASE_URL, with the certificate of",
  );
  if (certificate !== null) return { code: refused, says: certificate };
  if (said.includes("does not support SSL"))
    return {
      code: refused,
      says: "has no TLS: switch it on there; sslmode=disable sends everything in the clear",
    };
  // There are other reasons for this code, and its words are the server's: where they are in another language, it is said more generally.
  if (codeOf(error) === "28000" && /no encryption|SSL off/i.test(said))
    return {
      code: refused,
      says: "takes only encrypted connections: set sslmode=verify-full in DATABASE_URL",
    };
  return null;
}

const unreachable = "database_unreachable";
const refused = "database_refused";

/** A pooler in transaction mode takes no settings of a session; a server of our own takes all that we send. */
function poolerProblem(error: unknown): { code: "database_refused"; says: string } | null {
  if (codeOf(error) !== "08P01" || !messageOf(error).includes("startup parameter")) return null;
  return {
    code: refused,
    says: "looks like a connection pooler: add ?pooler=transaction to DATABASE_URL, or give the server's own address",
  };
}

/** What the driver says without a code. */
const lost = { code: unreachable, says: "no longer answers: see its log" } as const;

const connectionProblems: Record<
  string,
  { code: "database_unreachable" | "database_refused"; says: string }
> = {
  ECONNREFUSED: { code: unreachable, says: "does not answer: start it, or correct DATABASE_URL" },
  ECONNRESET: { code: unreachable, says: "closed the connection: see its log" },
  EHOSTUNREACH: { code: unreachable, says: "cannot be reached: correct the host in DATABASE_URL" },
  ENETUNREACH: { code: unreachable, says: "cannot be reached: correct the host in DATABASE_URL" },
  ENOTFOUND: {
    code: unreachable,
    says: "has a host name that nobody knows: correct the host in DATABASE_URL",
  },
  EAI_AGAIN: {
    code: unreachable,
    says: "has a host name that cannot be looked up now: check the name and the network",
  },
  ETIMEDOUT: { code: unreachable, says: "did not answer in time: check host, port and firewall" },
  "28P01": { code: refused, says: "refused the password: correct user and password in DATABASE_URL" },
  "28000": {
    code: refused,
    says: "refused the user or this machine: correct the user in DATABASE_URL, or allow both in its pg_hba.conf",
  },
  "3D000": { code: refused, says: "does not exist: create it, or correct the database name in DATABASE_URL" },
  "42501": {
    code: refused,
    says: "does not permit this: the user in DATABASE_URL must own the database, and be allowed to create roles if this is about readers",
  },
  "53100": {
    code: unreachable,
    says: "has no room left on its disk: make room; work then goes on by itself",
  },
  "53300": {
    code: unreachable,
    says: "has no connection left: raise max_connections or run fewer processes",
  },
  "25006": {
    code: unreachable,
    says: "takes no writes: promote it if it is a replica, make room if its disk is full, or correct DATABASE_URL",
  },
  "57P01": { code: unreachable, says: "was shut down: start it again" },
  "57P03": { code: unreachable, says: "is starting up: try again in a moment" },
};

const notifyQueueFull = {
  code: unreachable,
  says: "has no room left for notifications: end the session that listens and does not end its transaction (docs/security.md)",
} as const;

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  // A host with several addresses fails once for each: the first one tells as much as all of them.
  const first = error instanceof AggregateError ? (error.errors[0] as { code?: unknown }) : undefined;
  const code = (error as { code?: unknown }).code ?? first?.code;
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
