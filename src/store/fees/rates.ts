import type { Database, Queryable } from "../database.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";

export interface RateToKeep {
  readonly day: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly source: string;
}

export interface HeldRate extends RateToKeep {
  readonly fileName: string;
  readonly importedAt: string;
}

export interface RatesToSave extends Author {
  readonly rates: readonly RateToKeep[];
  readonly fileName: string;
  readonly sha256: Buffer;
}

/** Adds what is new or differs from what counts now, all of it or nothing, and says so in the audit log. */
export async function saveRates(
  database: Database,
  { rates, fileName, sha256, actor, requestId }: RatesToSave,
): Promise<{ read: number; added: number }> {
  return database.transaction(async (tx) => {
    // One saver at a time, so that two do not add the same.
    await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.rates', 0))");
    const added = await tx.query<{ id: string }>(
      `insert into tieout.rates (day, base, quote, rate, source, file_name, sha256, imported_by)
       select distinct on (r.day, r.base, r.quote, r.source) r.day, r.base, r.quote, r.rate, r.source, $2, $3, $4
       from jsonb_to_recordset($1::jsonb) as r (day date, base text, quote text, rate numeric, source text)
       where r.rate is distinct from (
         select held.rate
         from tieout.rates as held
         where (held.base, held.quote, held.day, held.source) = (r.base, r.quote, r.day, r.source)
         order by held.imported_at desc
         limit 1
       )
       order by r.day, r.base, r.quote, r.source
       returning id::text`,
      [JSON.stringify(rates), fileName, sha256, actor],
    );
    await recordAudit(tx, {
      actor,
      action: "rates.imported",
      subject: fileName,
      after: { read: rates.length, added: added.length, sha256: sha256.toString("hex") },
      requestId,
    });
    return { read: rates.length, added: added.length };
  });
}

/** Of each day, pair and source the one that counts, newest day first. */
export async function listRates(
  database: Queryable,
  { base, quote, limit }: { base?: string | undefined; quote?: string | undefined; limit: number },
): Promise<HeldRate[]> {
  return database.query<HeldRate>(
    `select *
     from (
       select distinct on (day, base, quote, source) day::text, base, quote, trim_scale(rate)::text as rate, source,
              file_name as "fileName", imported_at::text as "importedAt"
       from tieout.rates
       where ($1::text is null or base = $1)
         and ($2::text is null or quote = $2)
       order by day desc, base, quote, source, imported_at desc
     ) as counting
     order by day desc, base, quote, source
     limit $3`,
    [base ?? null, quote ?? null, limit],
  );
}
