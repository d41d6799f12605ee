import { counted } from "../core/counted.ts";
import { usageError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { type ProviderResult, reconcileAccount } from "../reconcile/reconcile.ts";
import { summariseAccount } from "../reconcile/summarise.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import { listProviders } from "../store/books/runs.ts";
import type { ClassSum } from "../store/books/summary.ts";
import { byCurrency, classTable, countClasses } from "./class-table.ts";
import type { CommandContext } from "./context.ts";
import type { Store } from "./open-store.ts";
import { withExistingStore } from "./with-store.ts";
import { readTime } from "./option-problems.ts";
import { answer } from "./write-out.ts";
import { createRunningLine } from "./running-line.ts";

interface ReconcileFlags {
  provider?: string;
  account?: string;
  asAt?: string;
  knownAt?: string;
  full?: boolean;
  verbose?: boolean;
  json: boolean;
}

interface AccountOutcome {
  account: string;
  providers: ProviderResult[];
  sums: ClassSum[];
}

/** Matches and judges; with an instant given it only answers, and stores nothing. */
export async function reconcile(context: CommandContext, flags: ReconcileFlags): Promise<void> {
  const moment = readMoment(flags);
  await withExistingStore(context, async (store) => {
    const outcomes: AccountOutcome[] = [];
    const accounts = await chooseAccounts(store, flags.account);
    await refuseUnknown(store, accounts, flags.provider);
    for (const account of accounts) {
      outcomes.push(
        moment === null
          ? await run(context, store, account, flags)
          : {
              account: account.name,
              providers: [],
              sums: await summariseAccount(store.database, account.id, {
                ...moment,
                provider: flags.provider?.toLowerCase() ?? null,
              }),
            },
      );
    }
    answer(flags, outcomes.map(asJson), describeAll(outcomes, flags.verbose ?? false));
  });
}

async function run(
  context: CommandContext,
  { database }: Store,
  account: { id: number; name: string },
  flags: ReconcileFlags,
): Promise<AccountOutcome> {
  const begun = context.now();
  const provider = flags.provider?.toLowerCase();
  const line = createRunningLine(context);
  const providers = await reconcileAccount(database, account.id, {
    ...(provider === undefined ? {} : { provider }),
    full: flags.full ?? false,
    onStep: ({ name, providers: many }) =>
      line.show(`${account.name}: ${name} of ${counted(many, "provider")}`),
  }).finally(line.end);
  context.say(
    `Reconciled: ${account.name}, ${counted(providers.length, "provider")} in ${((context.now() - begun) / 1_000).toFixed(1)} s`,
  );
  const sums = await summariseAccount(database, account.id, { provider: provider ?? null });
  return { account: account.name, providers, sums };
}

function readMoment({
  asAt,
  knownAt,
}: ReconcileFlags): { asAt: string | null; knownAt: string | null } | null {
  const moment = { asAt: readTime("--as-at", asAt), knownAt: readTime("--known-at", knownAt) };
  return moment.asAt === null && moment.knownAt === null ? null : moment;
}

async function chooseAccounts({ database }: Store, name: string | undefined) {
  const accounts = await reportableAccounts(database, null);
  if (name === undefined) return accounts;
  const chosen = accounts.filter((account) => account.name === name);
  if (chosen.length > 0) return chosen;
  const known = accounts.map((account) => account.name).join(", ") || "none";
  throw usageError(`--account: there is no account "${name}"; there are: ${known}`);
}

/** A mistyped provider would have nothing to match, and look as if nothing had been completed. */
async function refuseUnknown(
  { database }: Store,
  accounts: readonly { id: number }[],
  provider: string | undefined,
): Promise<void> {
  if (provider === undefined) return;
  const found = await Promise.all(accounts.map(({ id }) => listProviders(database, id)));
  const known = [...new Set(found.flat())].toSorted();
  if (known.includes(provider.toLowerCase())) return;
  throw usageError(
    `--provider: there are no transactions or statements of ${quote(provider)}; there are those of ${known.join(", ") || "none"}`,
  );
}

/** A table of currencies for each of many accounts is thousands of lines: by default a line each, and one table of all. */
function describeAll(outcomes: readonly AccountOutcome[], verbose: boolean): string {
  if (verbose || outcomes.length <= 1)
    return outcomes.map((outcome) => `${news(outcome)}\n${classTable(outcome.sums)}`).join("\n");
  const all = outcomes.flatMap(({ sums }) => sums);
  return [
    ...outcomes.map((outcome) => `${news(outcome)}; ${countClasses(outcome.sums)}`),
    `All ${counted(outcomes.length, "account")}; --verbose shows each of them:`,
    classTable(all),
  ].join("\n");
}

function news({ account, providers }: AccountOutcome): string {
  const total = (pick: (result: ProviderResult) => number) =>
    providers.reduce((sum, result) => sum + pick(result), 0);
  if (providers.length === 0) return account;
  const raised = total(({ counts }) => counts.raised + counts.reopened);
  return `${account}: ${total(({ counts }) => counts.matched)} newly matched, ${counted(raised, "discrepancy", "discrepancies")} raised, ${total(({ counts }) => counts.agreed)} cleared`;
}

function asJson({ account, providers, sums }: AccountOutcome): object {
  return { account, providers, currencies: byCurrency(sums), sums };
}
