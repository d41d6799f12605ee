import type { PresentedPeriod } from "../../api/periods/schema.ts";
import { counted } from "../../core/counted.ts";
import { sumByCurrency } from "../../core/sum-by-currency.ts";
import { Chip, Money, type Tone } from "../parts/show.tsx";

export function periodPath({ month, account }: Pick<PresentedPeriod, "month" | "account">): string {
  return `/close/${month}?${new URLSearchParams({ account }).toString()}`;
}

/** The pack of the month as it stands, or of the close that was signed with this hash. */
export function packPath(
  { month, account }: Pick<PresentedPeriod, "month" | "account">,
  sha256?: string,
): string {
  const which = sha256 === undefined ? {} : { pack_sha256: sha256 };
  return `/close/${month}/pack?${new URLSearchParams({ account, ...which }).toString()}`;
}

const stateTones: Record<PresentedPeriod["state"], Tone> = {
  open: "plain",
  prepared: "calm",
  closed: "good",
  reopened: "warn",
};

export function StateChip({ state }: { state: PresentedPeriod["state"] }) {
  return <Chip tone={stateTones[state]}>{state}</Chip>;
}

/** The API has colours; people read what they mean. A line that was accepted with a reason no longer stands in the way. */
const checkWords = {
  green: { tone: "good", words: "done" },
  amber: { tone: "warn", words: "to look at" },
  red: { tone: "bad", words: "blocks closing" },
  accepted: { tone: "warn", words: "accepted" },
  carried: { tone: "calm", words: "carried forward" },
} as const satisfies Record<string, { tone: Tone; words: string }>;

export function CheckChip({ state }: { state: keyof typeof checkWords }) {
  const { tone, words } = checkWords[state];
  return <Chip tone={tone}>{words}</Chip>;
}

/** More of them than this would push everything else off the screen; the others unfold. */
const amountsMax = 3;

export function Amounts({ amounts }: { amounts: readonly { currency: string; amount: string }[] }) {
  const sums = sumByCurrency(amounts);
  const more = sums.length - amountsMax;
  if (sums.length === 0) return null;
  return (
    <>
      <AmountList sums={sums.slice(0, amountsMax)} />
      {more > 0 && (
        <details class="amounts">
          <summary>and {counted(more, "more currency", "more currencies")}</summary>
          <AmountList sums={sums.slice(amountsMax)} />
        </details>
      )}
    </>
  );
}

function AmountList({ sums }: { sums: readonly { currency: string; amount: string }[] }) {
  return (
    <ul class="amounts">
      {sums.map(({ currency, amount }) => (
        <li>
          <Money amount={amount} currency={currency} />
        </li>
      ))}
    </ul>
  );
}
