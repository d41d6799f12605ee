import type { Account } from "../accounts/account.ts";
import type { KeyRing } from "../accounts/key-ring.ts";
import type { Pace } from "../accounts/pace.ts";
import { createBlemishes, type Blemishes } from "../ledger/blemishes.ts";
import type { Books } from "../ledger/books.ts";
import { compareRows } from "../ledger/history.ts";
import { RefusedError, refusalBody, refusalStatus, type ErrorBody } from "../refusal.ts";
import { faultsSince, type Switches } from "../switches.ts";
import { delayAndSkew, json, spoil, strikeBefore, tooMany, type Answer } from "../trouble/tamper.ts";
import { namingOf } from "./currency-names.ts";
import { throwDice, type Dice } from "./dice.ts";
import { writePage } from "./page.ts";
import { parseListQuery } from "./query.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface TransactionDeps {
  readonly books: Books;
  readonly seed: string;
  readonly accounts: KeyRing;
  readonly pace: Pace;
  readonly switches: Switches;
  readonly now: () => number;
}

export interface TransactionRequest {
  readonly authorization: string | undefined;
  readonly serviceSecret: string | undefined;
  /** What follows the question mark. */
  readonly query: string;
}

export interface Answers {
  list(request: TransactionRequest): Answer;
  single(request: TransactionRequest, transactionId: string): Answer;
}

export function createAnswers(deps: TransactionDeps): Answers {
  const { books, seed, switches, now } = deps;
  const limit = createRateLimit();
  let requests = 0;
  let accepted: (SentCredentials & { account: Account }) | null = null;
  let spoiled: { faults: Switches["faults"]; blemishes: Blemishes } | null = null;

  function currentBlemishes(): Blemishes {
    if (spoiled?.faults !== switches.faults) {
      spoiled = {
        faults: switches.faults,
        blemishes: createBlemishes({ seed, faults: switches.faults, sinceMs: faultsSince(switches, now()) }),
      };
    }
    return spoiled.blemishes;
  }

  function accountOf({ authorization, serviceSecret }: TransactionRequest): Account {
    // What was right a moment ago is right now: a listing sends the same two headers thousands of times.
    if (accepted !== null && isSame(accepted, { authorization, serviceSecret })) return accepted.account;
    const account = deps.accounts.requireSecret(authorization, serviceSecret);
    accepted = { authorization, serviceSecret, account };
    return account;
  }

  function answer(
    request: TransactionRequest,
    write: (account: Account, dice: Dice) => string | Uint8Array,
  ): Answer {
    const { faults, dialect } = switches;
    const dice = throwDice({ seed, faults }, requests++);
    const scene = { dice, nowMs: now(), errorBody: dialect["error-body"] };
    const plain = (): Answer => {
      if (faults["revoked-after"] > 0 && requests > faults["revoked-after"]) {
        throw new RefusedError("API_KEY_INVALID", "The API key has been revoked.", "Authorization");
      }
      const account = accountOf(request);
      const waitMs = Math.max(
        limit.waitMs(faults["rate-limit"], scene.nowMs),
        deps.pace.waitMs(account, scene.nowMs),
      );
      return waitMs > 0 ? tooMany(scene, waitMs) : json(200, write(account, dice));
    };
    return delayAndSkew(strikeBefore(scene) ?? spoil(dice, refused(plain, scene.errorBody)), faults, scene);
  }

  return {
    list: (request) =>
      answer(request, (account, dice) => {
        const { dialect, faults } = switches;
        const query = parseListQuery(new URLSearchParams(request.query), dialect);
        const view = books.of(account).at(now(), namingOf(dialect));
        return writePage(
          { seed: books.seedOf(account), faults, dice },
          { view, blemishes: currentBlemishes(), dialect, query },
        );
      }),
    single: (request, transactionId) =>
      answer(request, (account) => {
        const view = books.of(account).at(now(), namingOf(switches.dialect));
        const blemishes = currentBlemishes();
        const latest = view
          .rowsOfId(transactionId)
          .filter((row) => blemishes.isVisible(row, view.nowMs))
          .toSorted(compareRows)
          .at(-1);
        if (!latest) throw new RefusedError("NOT_FOUND", "There is no such transaction.", "transactionId");
        return blemishes.textOf(view, latest);
      }),
  };
}

type SentCredentials = Pick<TransactionRequest, "authorization" | "serviceSecret">;

function isSame(a: SentCredentials, b: SentCredentials): boolean {
  return a.authorization === b.authorization && a.serviceSecret === b.serviceSecret;
}

function refused(write: () => Answer, errorBody: ErrorBody): Answer {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return json(refusalStatus(error.type), JSON.stringify(refusalBody(error, errorBody)));
  }
}
