/** The eight patterns of ISO/IEC 18004 that break up large areas; 1 where a module is turned over. */
export function maskAt(mask: number, x: number, y: number): number {
  switch (mask) {
    case 0:
      return (x + y) % 2 === 0 ? 1 : 0;
    case 1:
      return y % 2 === 0 ? 1 : 0;
    case 2:
      return x % 3 === 0 ? 1 : 0;
    case 3:
      return (x + y) % 3 === 0 ? 1 : 0;
    case 4:
      return (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0 ? 1 : 0;
    case 5:
      return ((x * y) % 2) + ((x * y) % 3) === 0 ? 1 : 0;
    case 6:
      return (((x * y) % 2) + ((x * y) % 3)) % 2 === 0 ? 1 : 0;
    default:
      return (((x + y) % 2) + ((x * y) % 3)) % 2 === 0 ? 1 : 0;
  }
}

/** How hard the pattern is to read: runs, blocks, false eyes and an uneven share of dark modules count. */
export function penaltyOf(modules: readonly Uint8Array[]): number {
  const columns = modules.map((_, x) => modules.map((row) => row[x] ?? 0));
  const lines = [...modules.map((row) => [...row]), ...columns].map((line) => line.join(""));
  const runs = lines.reduce((sum, line) => sum + runPenalty(line) + eyePenalty(line), 0);
  return runs + blockPenalty(modules) + balancePenalty(modules);
}

function runPenalty(line: string): number {
  return (line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
}

/** A pattern like that of the eyes, with light on one side. */
function eyePenalty(line: string): number {
  return [...line.matchAll(/(?=10111010000)|(?=00001011101)/g)].length * 40;
}

function blockPenalty(modules: readonly Uint8Array[]): number {
  let penalty = 0;
  for (let y = 1; y < modules.length; y++) {
    for (let x = 1; x < modules.length; x++) {
      const corner = modules[y]?.[x];
      const isBlock =
        modules[y - 1]?.[x] === corner &&
        modules[y]?.[x - 1] === corner &&
        modules[y - 1]?.[x - 1] === corner;
      if (isBlock) penalty += 3;
    }
  }
  return penalty;
}

function balancePenalty(modules: readonly Uint8Array[]): number {
  const dark = modules.reduce((sum, row) => sum + row.reduce((each, module) => each + module, 0), 0);
  const percent = (dark * 100) / modules.length ** 2;
  return Math.floor(Math.abs(percent - 50) / 5) * 10;
}
