import { builtInProfiles } from "../../src/reconcile/profiles/built-in.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { importStatement } from "../../src/reconcile/statement/import-statement.ts";
import type { Books } from "../reconcile/books.ts";
import { textSource } from "../reconcile/statement/import-for-test.ts";

const header =
  "provider,line_type,status,provider_transaction_id,fiat_currency,fiat_gross,net_amount,net_currency,payout_ref,payout_amount,payout_currency,rate,effective_at";

let files = 0;

/** A line of a provider's file: what it owes, and in which payout. */
export const owed = (at: string, net: string, currency: string, ref: string, type = "commission") =>
  `simplex,${type},settled,${type}-${at}-${net},,,${net},${currency},${ref},,,,${at}`;

/** What the provider says it paid, and at which rate, where it has converted it. */
export const declares = (at: string, net: string, currency: string, ref: string, rate = "") =>
  `simplex,payout,settled,${ref},,,,,${ref},${net},${currency},${rate},${at}`;

/** Imports a provider's CSV and reconciles, as `tieout statement import` does. */
export async function importFile({ db, accountId, name }: Books, lines: readonly string[]): Promise<void> {
  const source = textSource(`simplex-${++files}.csv`, [header, ...lines, ""].join("\n"));
  const { rejects } = await importStatement({ database: db, profiles: builtInProfiles }, source, {
    account: { id: accountId, name },
    provider: "simplex",
    profileName: "generic",
    generatedAt: null,
    periodFrom: null,
    periodTo: null,
    replaces: null,
    acceptReason: null,
    actor: "test",
  });
  if (rejects.length > 0) throw new Error(JSON.stringify(rejects));
  await reconcileAccount(db, accountId);
}
