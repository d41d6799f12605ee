import { laneCount, type Lane } from "./lanes.ts";
import { lifecycleIndex, misfortunes, outcomes, paceCount, type Outcome } from "./lifecycles.ts";

/**
 * Lane and lifecycle come from different bits of one hash: this runs for every distance of every slot of a page, so
 * lanes of one provider and speed share a table, and all tables stay in the processor's cache.
 */
export function createChooser(lanes: readonly Lane[]): { choose(draw: number): number } {
  const kinds = [...new Set(lanes.map(kindOf))];
  const tables = new Uint8Array(kinds.length * fateCount);
  const tableOfLane = Uint16Array.from(lanes, (lane) => kinds.indexOf(kindOf(lane)));
  kinds.forEach((kind, at) => {
    const lane = lanes.find((each) => kindOf(each) === kind);
    if (lane) tables.set(fatesOf(lane), at * fateCount);
  });
  return {
    choose: (draw) =>
      tables[(tableOfLane[draw & (laneCount - 1)] as number) * fateCount + (draw >>> 22)] as number,
  };
}

function kindOf({ provider, speed }: Lane): string {
  return `${provider.id} ${speed}`;
}

/** As many as ten bits can tell apart. */
const fateCount = 1024;

function fatesOf({ provider, speed }: Lane): Uint8Array {
  const fates = new Uint8Array(fateCount);
  const plain = Math.round(fateCount * provider.successRate);
  for (let fate = 0; fate < fateCount; fate++) {
    const pace = fate % paceCount;
    const outcome =
      fate < plain ? plainOutcome(fate) : misfortune((fate - plain + 0.5) / (fateCount - plain));
    fates[fate] = lifecycleIndex(speed, pace, outcome);
  }
  return fates;
}

function plainOutcome(fate: number): Outcome {
  if (fate % 31 === 0) return "completed_at_once";
  return fate % 37 === 0 ? "completed_unpaid" : "completed";
}

function misfortune(share: number): Outcome {
  let passed = 0;
  for (const outcome of outcomes) {
    passed += misfortunes[outcome] ?? 0;
    if (share * 1000 < passed) return outcome;
  }
  return "failed";
}
