import { decimalFromUnits, multiplyDecimals, type Decimal } from "../../core/decimal.ts";
import { hash32, mix32 } from "./random.ts";
import type { World } from "./types.ts";

/** US dollars for one whole unit of the asset at that time. */
export function assetUsd(world: World, assetId: string, atMs: number): Decimal {
  const asset = world.assetById.get(assetId);
  if (!asset) throw new RangeError(`no asset ${assetId} in this world`);
  // By code, so that one coin has one price on all its networks.
  return moved(asset.usd, movePpm(hash32(world.seed, "asset", asset.code), asset.swingPpm, atMs));
}

/** US dollars for one unit of the fiat at that time. */
export function fiatUsd(world: World, fiatId: string, atMs: number): Decimal {
  const fiat = world.fiatById.get(fiatId);
  if (!fiat) throw new RangeError(`no fiat ${fiatId} in this world`);
  return moved(fiat.usd, movePpm(hash32(world.seed, "fiat", fiat.id), fiat.swingPpm, atMs));
}

/**
 * How far a price is away from its level, in millionths: waves of four lengths on top of each other, each running
 * smoothly between heights drawn for its knots. Whole numbers below 2^53 only, so every machine gets the same price.
 */
export function movePpm(state: number, swingPpm: number, atMs: number): number {
  if (swingPpm === 0) return 0;
  let sum = 0;
  for (const { lengthMs, share } of waves) {
    const knot = Math.floor(atMs / lengthMs);
    const wave = mix32(state, lengthMs);
    const from = heightAt(wave, knot);
    const to = heightAt(wave, knot + 1);
    const along = smooth(Math.floor(((atMs - knot * lengthMs) * grain) / lengthMs));
    sum += (from * (grain - along) + to * along) * share;
  }
  return Math.round((sum * swingPpm) / (grain * grain * 100));
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const grain = 4096;

/** Shares are percent of the whole swing and sum to 100. */
const waves = [
  { lengthMs: 45 * DAY, share: 60 },
  { lengthMs: 5 * DAY, share: 25 },
  { lengthMs: DAY / 4, share: 12 },
  { lengthMs: 15 * MINUTE, share: 3 },
];

/** Between −grain and +grain. */
function heightAt(wave: number, knot: number): number {
  return (mix32(wave, knot) % (2 * grain + 1)) - grain;
}

/** 3t² − 2t³, in grains: no kink where two pieces of a wave meet. */
function smooth(t: number): number {
  return Math.floor((t * t * (3 * grain - 2 * t)) / (grain * grain));
}

function moved(level: Decimal, ppm: number): Decimal {
  return multiplyDecimals(level, decimalFromUnits(BigInt(1_000_000 + ppm), 6));
}
