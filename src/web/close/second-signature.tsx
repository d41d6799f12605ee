import type { Child, PropsWithChildren } from "hono/jsx";
import type { PresentedPeriod } from "../../api/periods/schema.ts";
import { hindranceOf, type Hindrance } from "../../access/second-signature.ts";
import { type FirstSignature, listFirstSignatures } from "../../store/periods/period-reads.ts";
import type { Visitor } from "../deps.ts";
import { MineGoesBack, TheirsGoesBack } from "../parts/signing-together.tsx";

/** A month that waits for its second signature, and why the visitor cannot give it; `null`: they can. */
export interface WaitingMonth {
  first: FirstSignature;
  hindrance: Hindrance | null;
}

export async function readWaitingMonths(visitor: Visitor): Promise<WaitingMonth[]> {
  const firsts = await listFirstSignatures(visitor.reader);
  return firsts.map((first) => ({ first, hindrance: hindranceOf(visitor.caller, first, "approvals:write") }));
}

export function waitingMonthOf(
  months: readonly WaitingMonth[],
  { account, month }: Pick<PresentedPeriod, "account" | "month">,
): WaitingMonth | null {
  return months.find(({ first }) => first.account === account && first.month === month) ?? null;
}

const words = {
  prepared: { own: "You prepared this month. Another person has to approve it.", again: "prepares it again" },
  reopen_asked: {
    own: "You asked to reopen this month. Another person has to agree.",
    again: "asks again",
  },
} as const;

interface SecondSignatureProps {
  waiting: WaitingMonth | null;
  visitor: Visitor;
  /** The form of the first signature: given again after signing in another way, others may give the second. */
  again: Child;
}

/** The form of the second signature, or why it is not the visitor's to give. */
export function SecondSignature({
  waiting,
  visitor,
  again,
  children,
}: PropsWithChildren<SecondSignatureProps>) {
  if (waiting === null) return <>{children}</>;
  const { name, event } = waiting.first;
  switch (waiting.hindrance) {
    case null:
      return <>{children}</>;
    case "own":
      return (
        <>
          <p>{words[event].own}</p>
          {waiting.first.vouchedBy !== visitor.caller.vouchedBy && (
            <>
              <p>
                You have signed in another way since. If someone cannot sign with you because of the link you
                used then, do this once more:
              </p>
              {again}
            </>
          )}
        </>
      );
    case "mine_to_theirs":
      return <MineGoesBack name={name} email={visitor.email} />;
    case "theirs_to_mine":
      return <TheirsGoesBack name={name} again={words[event].again} />;
    default:
      return <p>It waits for someone with the role controller.</p>;
  }
}
