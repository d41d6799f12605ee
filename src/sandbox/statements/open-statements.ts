import { setImmediate as immediate } from "node:timers/promises";
import { isEnabled } from "../accounts/account.ts";
import type { KeyRing } from "../accounts/key-ring.ts";
import type { SandboxContext } from "../context.ts";
import type { Books } from "../ledger/books.ts";
import type { Switches } from "../switches.ts";
import type { Provider, World } from "../world/types.ts";
import type { StatementDeps } from "./entry.ts";

export interface StatementRouteDeps {
  readonly world: World;
  readonly books: Books;
  readonly accounts: KeyRing;
  readonly switches: Switches;
  readonly now: () => number;
}

export interface OpenedStatements extends StatementDeps {
  readonly providers: readonly Provider[];
}

/** What the files of an account are made from; only for who has its secret. */
export function openStatements(deps: StatementRouteDeps, c: SandboxContext): OpenedStatements {
  const { world, books, switches, now } = deps;
  const account = deps.accounts.requireSecret(
    c.req.header("authorization"),
    c.req.header("x-service-secret"),
  );
  const ledger = books.of(account);
  return {
    world,
    ledger,
    providers: world.providers.filter(({ id }) => isEnabled(account, id)),
    view: ledger.at(now()),
    namesNetworks: switches.dialect.currency === "id",
    pause: () => immediate(),
  };
}
