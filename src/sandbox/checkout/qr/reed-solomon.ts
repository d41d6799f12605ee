/** Arithmetic in the field of 256 elements that QR codes use (ISO/IEC 18004: x⁸ + x⁴ + x³ + x² + 1). */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** The error correction codewords of a block: what is left of it after division by the generator. */
export function correctionOf(data: Uint8Array, count: number): Uint8Array {
  const generator = generatorOf(count);
  const rest = new Uint8Array(count);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[count - 1] = 0;
    for (let at = 0; at < count; at++) rest[at] = (rest[at] ?? 0) ^ multiply(generator[at] ?? 0, factor);
  }
  return rest;
}

/** (x − 1)(x − 2)(x − 4)… without its leading 1. */
function generatorOf(degree: number): Uint8Array {
  const generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let at = 0; at < degree; at++) {
      generator[at] = multiply(generator[at] ?? 0, root) ^ (generator[at + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return generator;
}
