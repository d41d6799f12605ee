import { encodeText } from "./codewords.ts";
import { maskAt, penaltyOf } from "./masks.ts";

/** A square of modules, row by row; 1 is dark. */
export type Modules = readonly Uint8Array[];

/** A QR code of the text (ISO/IEC 18004): byte mode, error correction level M, versions 1 to 10. */
export function encodeQr(text: string): Modules {
  const { version, codewords } = encodeText(text);
  const drawing = drawFixed(version);
  drawCodewords(drawing, codewords);
  const candidates = Array.from({ length: 8 }, (_, mask) => masked(drawing, mask));
  return candidates.reduce((best, each) => (penaltyOf(each) < penaltyOf(best) ? each : best));
}

interface Drawing {
  readonly version: number;
  readonly modules: Uint8Array[];
  /** Which modules are the code's own and neither hold data nor are masked. */
  readonly fixed: Uint8Array[];
}

function drawFixed(version: number): Drawing {
  const size = 17 + 4 * version;
  const square = () => Array.from({ length: size }, () => new Uint8Array(size));
  const drawing = { version, modules: square(), fixed: square() };
  for (let at = 0; at < size; at++) {
    set(drawing, at, 6, at % 2 === 0);
    set(drawing, 6, at, at % 2 === 0);
  }
  for (const [x, y] of [[3, 3] as const, [size - 4, 3] as const, [3, size - 4] as const])
    drawFinder(drawing, x, y);
  drawAlignments(drawing);
  drawFormat(drawing, 0);
  drawVersion(drawing);
  return drawing;
}

function set({ modules, fixed }: Drawing, x: number, y: number, isDark: boolean): void {
  const [row, marks] = [modules[y], fixed[y]];
  if (!row || !marks || x < 0 || x >= row.length) return;
  row[x] = isDark ? 1 : 0;
  marks[x] = 1;
}

/** The eye in a corner, with its light border. */
function drawFinder(drawing: Drawing, x: number, y: number): void {
  for (let dy = -4; dy <= 4; dy++) {
    for (let dx = -4; dx <= 4; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(drawing, x + dx, y + dy, ring !== 2 && ring !== 4);
    }
  }
}

function drawAlignments(drawing: Drawing): void {
  const { version } = drawing;
  if (version === 1) return;
  const last = 10 + 4 * version;
  const places = version < 7 ? [6, last] : [6, (6 + last) / 2, last];
  for (const x of places) {
    for (const y of places) {
      const isCorner = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!isCorner) drawAlignment(drawing, x, y);
    }
  }
}

function drawAlignment(drawing: Drawing, x: number, y: number): void {
  for (let dy = -2; dy <= 2; dy++) {
    for (let dx = -2; dx <= 2; dx++) {
      set(drawing, x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  }
}

/** Level M is 00, so the format is the mask alone; twice, with ten bits to correct it. */
function drawFormat(drawing: Drawing, mask: number): void {
  const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412;
  const size = drawing.modules.length;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at < 15; at++) {
    const along = at < 6 ? at : at < 8 ? at + 1 : 14 - at;
    if (at < 8) {
      set(drawing, 8, along, bit(at));
      set(drawing, size - 1 - at, 8, bit(at));
    } else {
      set(drawing, at === 8 ? 7 : along, 8, bit(at));
      set(drawing, 8, size - 15 + at, bit(at));
    }
  }
  set(drawing, 8, size - 8, true);
}

/** From version 7 on the code says how large it is. */
function drawVersion(drawing: Drawing): void {
  const { version } = drawing;
  if (version < 7) return;
  const bits = (version << 12) | remainder(version, 12, 0x1f25);
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >>> at) & 1) === 1;
    const [far, near] = [drawing.modules.length - 11 + (at % 3), Math.floor(at / 3)];
    set(drawing, far, near, isDark);
    set(drawing, near, far, isDark);
  }
}

/** What is left of `value` with `zeros` zeros behind it, divided by the generator. */
function remainder(value: number, zeros: number, generator: number): number {
  let rest = value;
  for (let step = 0; step < zeros; step++) rest = (rest << 1) ^ ((rest >>> (zeros - 1)) * generator);
  return rest;
}

/** In pairs of columns from the right, up and down in turns, leaving out the column of the timing pattern. */
function drawCodewords({ modules, fixed }: Drawing, codewords: Uint8Array): void {
  const size = modules.length;
  let position = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = modules[y];
        if (!row || fixed[y]?.[x] === 1) continue;
        row[x] = ((codewords[position >> 3] ?? 0) >>> (7 - (position & 7))) & 1;
        position++;
      }
    }
  }
}

function masked({ version, modules, fixed }: Drawing, mask: number): Uint8Array[] {
  const flipped = modules.map((row, y) =>
    row.map((module, x) => (fixed[y]?.[x] === 1 ? module : module ^ maskAt(mask, x, y))),
  );
  drawFormat({ version, modules: flipped, fixed: fixed.map((row) => row.slice()) }, mask);
  return flipped;
}
