import { below, hash32, mix32 } from "../../src/sandbox/world/random.ts";

/** Seeded chance. Each purpose has a stream of its own, so that drawing more for one thing moves nothing else. */
export interface Chance {
  happens(share: number): boolean;
  /** A share of 1, 1 excluded. */
  share(): number;
  /** A whole number, both ends included. */
  whole(min: number, max: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function createChance(seed: number, ...purpose: readonly (string | number)[]): Chance {
  const state = hash32(String(seed), ...purpose);
  let drawn = 0;
  const draw = () => mix32(state, drawn++);
  const share = () => draw() / 0x1_0000_0000;
  return {
    share,
    happens: (wanted) => share() < wanted,
    whole: (min, max) => min + below(max - min + 1, draw()),
    pick: (choices) => {
      const chosen = choices[below(choices.length, draw())];
      if (chosen === undefined) throw new RangeError("nothing to pick from");
      return chosen;
    },
  };
}
