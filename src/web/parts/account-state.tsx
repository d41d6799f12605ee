import { failingAdvice } from "../../api/accounts/trouble.ts";
import { Chip, Time, type Tone } from "./show.tsx";

const chips: Record<string, { tone: Tone; words: string }> = {
  refused: { tone: "bad", words: "key refused" },
  failing: { tone: "bad", words: "no answer" },
  paused: { tone: "warn", words: "paused by a person" },
};

/** What is wrong, in two words; nothing while the account is read. */
export function TroubleChip({ state }: { state: string }) {
  const chip = chips[state];
  return chip === undefined ? null : <Chip tone={chip.tone}>{chip.words}</Chip>;
}

interface Trouble {
  state: string;
  reason: string | null;
  since: string | null;
}

/** Since when, why, and what to do. */
export function TroubleDetails({ trouble, zone }: { trouble: Trouble; zone: string }) {
  return (
    <>
      Since <Time at={trouble.since} zone={zone} />: <bdi>{trouble.reason}</bdi>
      {trouble.state === "failing" && `: ${failingAdvice}`}
    </>
  );
}
