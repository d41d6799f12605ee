import type { PayoutRow } from "../../store/books/payout-reads.ts";
import { formatDay } from "../format.ts";
import { Chip, type Tone } from "./show.tsx";

const words: Record<string, { tone: Tone; text: string }> = {
  tied: { tone: "good", text: "ties" },
  not_tied: { tone: "bad", text: "does not tie" },
  undeclared: { tone: "calm", text: "not declared yet" },
};

type Dated = Pick<PayoutRow, "status" | "payoutDate" | "arrived">;

/** Whether its lines add up to what was declared; and when it is expected, where its day has not come. */
export function PayoutChip({ payout, now }: { payout: Dated; now: number }) {
  if (payout.arrived.state === "withdrawn") return <Chip tone="plain">no file in force declares it</Chip>;
  const { tone, text } = words[payout.status] ?? { tone: "plain", text: payout.status };
  if (!isExpected(payout, now) || payout.status === "not_tied") return <Chip tone={tone}>{text}</Chip>;
  return <Chip tone="calm">expected {shortDay(payout.payoutDate ?? "")}</Chip>;
}

export function isExpected({ payoutDate }: Dated, now: number): boolean {
  return payoutDate !== null && Date.parse(`${payoutDate.slice(0, 10)}T${payoutDate.slice(11, 19)}Z`) > now;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `24 Nov`, as people say it; the year stands in the title of the time beside it. */
export function shortDay(at: string): string {
  const [, month = "1", day = ""] = formatDay(at, "UTC").split("-");
  return `${Number(day)} ${months[Number(month) - 1] ?? ""}`;
}
