import { setTimeout } from "node:timers/promises";
import { SECOND } from "../core/duration.ts";
import type { Database } from "./database.ts";
import { openOrm } from "./orm.ts";
import { asDatabaseError, isTransient } from "./sql-errors.ts";

export interface ReplicaOptions {
  now: () => number;
  /** What a read may miss at most. */
  lagMaxMs?: number;
  /** Told when the replica is left out, with the reason, and with `null` when it is asked again. */
  onChange: (reason: string | null) => void;
}

/** Reads as a database does, and says why it does not ask the replica. */
export interface ReplicaReader extends Database {
  /** Looks now. `null`: the replica is asked. */
  problem(): Promise<string | null>;
}

const checkEveryMs = SECOND;
export const replicaLagMaxMs = 5 * SECOND;

/**
 * Reads go to the replica while it follows the primary closely, and to the primary otherwise: one that lags shows
 * yesterday's figures as today's, one that was promoted shows those of another history, one of another database shows
 * another company's, and one that is gone shows none.
 * Nobody waits for the check: until one has succeeded, the primary is asked.
 */
export function readFromReplica(
  primary: Database,
  replica: Database,
  options: ReplicaOptions,
): ReplicaReader {
  const { now, onChange, lagMaxMs = replicaLagMaxMs } = options;
  /** Where the primary's log ended, and when: a replica that has played a mark lags by its age at most. */
  let marks: { atMs: number; end: bigint }[] = [];
  let left: string | null = "not asked yet";
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  async function check(): Promise<void> {
    const begunMs = now();
    const reason = await judge(begunMs).catch(inWords);
    checkedAtMs = now();
    settle(reason);
  }

  async function judge(atMs: number): Promise<string | null> {
    const [[head], [followed]] = await Promise.all([
      primary.query<{ end: string; copies: string }>(`select pg_current_wal_lsn()::text as end, ${copies}`),
      replica.query<{ follows: boolean; played: string | null; copies: string }>(
        `select pg_is_in_recovery() as follows, pg_last_wal_replay_lsn()::text as played, ${copies}`,
      ),
    ]);
    if (followed?.follows !== true) return "it follows nobody: it was promoted, or never was a replica";
    if (followed.copies !== head?.copies)
      return "it is a replica of another database: correct READ_DATABASE_URL";
    const played = placeInLog(followed.played ?? "0/0");
    marks = [...marks, { atMs, end: placeInLog(head.end) }].filter((mark) => atMs - mark.atMs <= lagMaxMs);
    return marks.some(({ end }) => end <= played) ? null : lagging(lagMaxMs);
  }

  function settle(reason: string | null): void {
    if (reason !== left) onChange(reason);
    left = reason;
  }

  function choose(): Database {
    const age = now() - checkedAtMs;
    if (age >= checkEveryMs) checking ??= check().finally(() => (checking = null));
    // A check that takes this long is an answer too.
    return left === null && age < lagMaxMs ? replica : primary;
  }

  async function read<T>(ask: (database: Database) => Promise<T>): Promise<T> {
    const chosen = choose();
    try {
      return await ask(chosen);
    } catch (error) {
      // Gone since the last check, or the row that it was about to read was cleaned away: the primary has both.
      if (chosen === primary || !isTransient(error)) throw error;
      settle("it does not answer");
      return ask(primary);
    }
  }

  return {
    problem: async () => {
      const look = () => judge(now()).catch(inWords);
      const reason = await look();
      if (reason !== lagging(lagMaxMs)) return reason;
      // A mark that was just made is ahead of any replica while something is written.
      await setTimeout(checkEveryMs);
      return look();
    },
    orm: openOrm({
      query: (statement, values) => read(({ orm }) => orm.$client.query(statement, values)),
    }),
    query: (text, values, name) => read((database) => database.query(text, values, name)),
    session: (use) => choose().session(use),
    transaction: (work) => choose().transaction(work),
    rehearse: (work) => choose().rehearse(work),
    close: async () => {
      await checking;
      await replica.close();
    },
  };
}

/** A replica has the numbers of what it is a copy of: those of the server's files, and of the database. */
const copies = `(select system_identifier from pg_control_system())
  || ':' || (select oid from pg_database where datname = current_database()) as copies`;

const lagging = (lagMaxMs: number) => `it lags by more than ${lagMaxMs / SECOND} s`;

/** What the driver says, of an address that is not the one that most of our words are about. */
function inWords(error: unknown): string {
  const { code, message } = asDatabaseError(error);
  if (code === "database_failed") return "it does not answer";
  return message.replace(/^the database( at \S+)?/, "it").replaceAll("DATABASE_URL", "READ_DATABASE_URL");
}

/** A place in the log is written as two halves in hexadecimal digits. */
function placeInLog(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
