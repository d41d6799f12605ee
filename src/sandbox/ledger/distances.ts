import { lifecycles, type Lifecycle } from "./lifecycles.ts";

/** When a step comes, in slots of a given length. */
export interface Timing {
  readonly slots: number;
  /** After the first step of the same lifecycle in the same slot. */
  readonly withinMs: number;
  /** From the first to the last step in that slot. */
  readonly spanMs: number;
}

export interface Distances {
  /** All distances there are, ascending. */
  readonly slots: readonly number[];
  /** By distance and lifecycle, a bit for each step that comes then. */
  readonly steps: Uint8Array;
  /** By lifecycle, one for each of its steps. */
  readonly timings: readonly (readonly Timing[])[];
}

/** For slots of this length: how many slots after creation each step comes, and which steps come at a distance. */
export function createDistances(slotMs: number): Distances {
  const timings = lifecycles.map((lifecycle) => timingsOf(lifecycle, slotMs));
  const slots = [...new Set(timings.flat().map((timing) => timing.slots))].toSorted((a, b) => a - b);
  const steps = new Uint8Array(slots.length * lifecycles.length);
  timings.forEach((ofLifecycle, number) => {
    ofLifecycle.forEach((timing, step) => {
      const at = slots.indexOf(timing.slots) * lifecycles.length + number;
      steps[at] = (steps[at] as number) | (1 << step);
    });
  });
  return { slots, steps, timings };
}

function timingsOf({ steps }: Lifecycle, slotMs: number): Timing[] {
  return steps.map(({ afterMs }) => {
    const slots = Math.floor(afterMs / slotMs);
    const together = steps.map((step) => step.afterMs).filter((each) => Math.floor(each / slotMs) === slots);
    const first = Math.floor(Math.min(...together));
    return {
      slots,
      withinMs: Math.floor(afterMs) - first,
      spanMs: Math.floor(Math.max(...together)) - first,
    };
  });
}
