import { GivenLink } from "../parts/show.tsx";
import { transactionPath } from "./columns.tsx";

/** The transactions that a line stands for: one, or those that a person split it over. */
export function TransactionLinks({ account, ids }: { account: string; ids: readonly string[] }) {
  return (
    <>
      {ids.map((id, at) => (
        <>
          {at > 0 && " "}
          <GivenLink href={transactionPath({ account, transaction_id: id })} text={id} mono />
        </>
      ))}
    </>
  );
}
