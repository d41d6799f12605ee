import type { PresentedPeriod } from "../../api/periods/present.ts";
import { counted } from "../../core/counted.ts";
import { Chip, Money, type Tone } from "../parts/show.tsx";

export function periodPath({ month, account }: Pick<PresentedPeriod, "month" | "account">): string {
  return `/close/${month}?${new URLSearchParams({ account }).toString()}`;
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

export function toneOf(state: "green" | "amber" | "red"): Tone {
  return ({ green: "good", amber: "warn", red: "bad" } as const)[state];
}

/** More of them than this is a list, and the line's own screen has it. */
const amountsMax = 3;

export function Amounts({ amounts }: { amounts: readonly { currency: string; amount: string }[] }) {
  if (amounts.length === 0) return null;
  return (
    <ul class="amounts">
      {amounts.slice(0, amountsMax).map(({ currency, amount }) => (
        <li>
          <Money amount={amount} currency={currency} />
        </li>
      ))}
      {amounts.length > amountsMax && (
        <li>and {counted(amounts.length - amountsMax, "more currency", "more currencies")}</li>
      )}
    </ul>
  );
}
