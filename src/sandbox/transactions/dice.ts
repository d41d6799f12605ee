import { happens, hash32 } from "../world/random.ts";
import type { FaultName, Faults } from "./faults.ts";

/** Chance for one request: fixed by the seed and the request's number, so that a run can be repeated. */
export interface Dice {
  /** Whether the fault strikes this request. */
  strikes(name: FaultName): boolean;
  /** 32 bits for a choice that belongs to the fault. */
  draw(name: FaultName): number;
}

export function throwDice(deps: { seed: string; faults: Faults }, request: number): Dice {
  const draw = (name: FaultName, what: string) => hash32(deps.seed, "request", request, name, what);
  return {
    strikes: (name) => deps.faults[name] > 0 && happens(deps.faults[name], draw(name, "strikes")),
    draw: (name) => draw(name, "draw"),
  };
}
