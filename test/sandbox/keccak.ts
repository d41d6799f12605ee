/** Keccak-256 as Ethereum uses it (the padding differs from SHA-3), small and slow: for checking addresses. */
export function keccak256(input: Uint8Array): Buffer {
  const rate = 136;
  const padded = Buffer.alloc((Math.floor(input.length / rate) + 1) * rate);
  padded.set(input);
  padded[input.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const state = Array.from({ length: 25 }, () => 0n);
  for (let block = 0; block < padded.length; block += rate) {
    for (let i = 0; i < rate / 8; i++) state[i] = lane(state, i) ^ padded.readBigUInt64LE(block + i * 8);
    permute(state);
  }
  const output = Buffer.alloc(32);
  for (let i = 0; i < 4; i++) output.writeBigUInt64LE(lane(state, i), i * 8);
  return output;
}

const mask = (1n << 64n) - 1n;
const turn = (value: bigint, by: number) => ((value << BigInt(by)) | (value >> BigInt(64 - by))) & mask;
const lane = (state: readonly bigint[], index: number) => state[index] ?? 0n;

function permute(state: bigint[]): void {
  let register = 1;
  for (let round = 0; round < 24; round++) {
    const column = [0, 1, 2, 3, 4].map((x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ lane(state, x + y), 0n),
    );
    for (let i = 0; i < 25; i++) {
      state[i] = lane(state, i) ^ lane(column, ((i % 5) + 4) % 5) ^ turn(lane(column, ((i % 5) + 1) % 5), 1);
    }
    let [x, y, carried] = [1, 0, lane(state, 1)];
    for (let t = 0; t < 24; t++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = lane(state, x + 5 * y);
      state[x + 5 * y] = turn(carried, (((t + 1) * (t + 2)) / 2) % 64);
      carried = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const copy = state.slice(row, row + 5);
      for (let i = 0; i < 5; i++) {
        state[row + i] = lane(copy, i) ^ (~lane(copy, (i + 1) % 5) & mask & lane(copy, (i + 2) % 5));
      }
    }
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) state[0] = lane(state, 0) ^ (1n << BigInt(2 ** bit - 1));
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1;
    }
  }
}
