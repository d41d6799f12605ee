/** The little of Thrift's compact protocol that the notes in a Parquet file are written in. */
export type ThriftValue =
  | { i32: number }
  | { i64: number }
  | { text: string }
  | { bool: boolean }
  | { struct: ThriftStruct }
  | { list: readonly ThriftValue[] };

/** Fields by their numbers, in rising order. */
export type ThriftStruct = readonly (readonly [field: number, value: ThriftValue])[];

export function encodeStruct(struct: ThriftStruct): Buffer {
  const bytes: number[] = [];
  writeStruct(bytes, struct);
  return Buffer.from(bytes);
}

function writeStruct(bytes: number[], struct: ThriftStruct): void {
  let last = 0;
  for (const [field, value] of struct) {
    // Fields follow closely, so the step from the one before fits beside the type.
    bytes.push(((field - last) << 4) | typeOf(value));
    last = field;
    if (!("bool" in value)) writeValue(bytes, value);
  }
  bytes.push(0);
}

function typeOf(value: ThriftValue): number {
  if ("bool" in value) return value.bool ? 1 : 2;
  if ("i32" in value) return 5;
  if ("i64" in value) return 6;
  if ("text" in value) return 8;
  return "list" in value ? 9 : 12;
}

function writeValue(bytes: number[], value: ThriftValue): void {
  if ("i32" in value) writeVarint(bytes, BigInt(value.i32) * 2n);
  else if ("i64" in value) writeVarint(bytes, BigInt(value.i64) * 2n);
  else if ("text" in value) {
    const text = Buffer.from(value.text);
    writeVarint(bytes, BigInt(text.length));
    bytes.push(...text);
  } else if ("struct" in value) writeStruct(bytes, value.struct);
  else if ("list" in value) {
    const [first = { struct: [] }] = value.list;
    if (value.list.length < 15) bytes.push((value.list.length << 4) | typeOf(first));
    else {
      bytes.push(0xf0 | typeOf(first));
      writeVarint(bytes, BigInt(value.list.length));
    }
    for (const one of value.list) writeValue(bytes, one);
  }
}

/** Whole numbers that are written here are never negative, so the sign is always the last bit, and 0. */
function writeVarint(bytes: number[], value: bigint): void {
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}
