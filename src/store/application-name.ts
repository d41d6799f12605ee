export const applicationPrefix = "tieout";

/** `tieout:api:4711`: tells a person reading `pg_stat_activity` which part of which process holds a session. */
export function applicationName(part: string): string {
  return `${applicationPrefix}:${part}:${process.pid}`;
}

/** Ends the name of a session while it reads a report: others need not wait for what it might write. */
export const readsOnly = ":reads";
