export type RandomBytes = (count: number) => Uint8Array;

/** 256 bits, for sessions and links. */
export function newToken(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

const tokenForm = /^[A-Za-z0-9_-]{43}$/;

export function isToken(text: string): boolean {
  return tokenForm.test(text);
}
