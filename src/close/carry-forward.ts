import { TieoutError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { Database, Queryable } from "../store/database.ts";
import { findActiveName } from "../store/people/people.ts";
import { carryDiscrepancies, holdOpen } from "../store/periods/carry-writes.ts";
import type { Signer } from "../store/periods/period-writes.ts";
import type { Period } from "./period.ts";

/** What is carried forward, to whom, and why. */
export interface CarryOrder {
  /** Name or e-mail of a person, or the name of the one who carries forward. */
  owner: string;
  reason: string;
  ids?: readonly number[] | undefined;
  provider?: string | undefined;
  code?: string | undefined;
}

export interface Carried {
  carried: number;
  /** The name that they are assigned to. */
  owner: string;
}

/** Takes open errors into the next month: each is assigned to an owner, with a reason. */
export async function carryForward(
  database: Database,
  period: Period,
  order: CarryOrder,
  signer: Signer,
): Promise<Carried> {
  const { accountId, account, month, to } = period;
  const { reason, ids = null, provider = null, code = null } = order;
  return database.transaction(async (tx) => {
    if (!(await holdOpen(tx, period))) {
      throw new TieoutError(
        "period_refused",
        `${month} is closed: carry them forward in the next open month, or reopen ${month} first`,
      );
    }
    const owner = await ownerNamed(tx, period, order.owner, signer);
    const wanted = { accountId, account, month, to, owner, reason, ids, provider, code };
    return { carried: await carryDiscrepancies(tx, wanted, signer), owner };
  });
}

/** An unknown name is refused: otherwise the errors would be in no person's list. */
async function ownerNamed(
  tx: Queryable,
  { accountId, account }: Period,
  given: string,
  signer: Signer,
): Promise<string> {
  const name = await findActiveName(tx, { given, accountId });
  if (name !== null) return name;
  if (given === signer.name) return given;
  throw new TieoutError(
    "person_not_found",
    `the owner ${quote(given)} is not an active person who sees the account ${account}: give the name or e-mail of one, as tieout people list shows them`,
  );
}
