/**
 * What stands in the place of erased personal data. Everything is made with a key that is kept outside the database: the
 * same value always becomes the same word, so what belonged together stays together and a record that is read again is
 * recognised; without the key no guess can be tested. Decision 0019 says what can still be proven of an erased row.
 */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { canonicaliseJson, canonicalString, type CanonicalJson } from "./canonical-json.ts";
import { recordHash } from "./record-hash.ts";
import type { TransactionRecord } from "./transaction.ts";

/** `name`: an id by which statements know a transaction. */
export type SubjectKind = "wallet" | "transaction" | "name";

export interface ErasureKey {
  /** Tells two keys apart, and nothing more. */
  readonly id: string;
  /** Hex. */
  digest(accountId: number, kind: SubjectKind | "record" | "text", value: string): string;
  /** Seals what is to be erased while it waits for a second person; it takes the key to open it. */
  seal(value: string): Buffer;
  unseal(sealed: Buffer): string;
}

export const erasureKeyBytes = 32;

export function createErasureKey(secret: Buffer): ErasureKey {
  const mac = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  return {
    id: mac("tieout erasure key").slice(0, 16),
    digest: (accountId, kind, value) => mac(`${kind}\n${accountId}\n${comparable(kind, value)}`),
    ...createSeal((text) => createHmac("sha256", secret).update(text).digest()),
  };
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. The nonce is derived from the value, so that no two values ever share one. */
function createSeal(derive: (text: string) => Buffer): Pick<ErasureKey, "seal" | "unseal"> {
  const key = derive("tieout erasure request");
  return {
    seal: (value) => {
      const nonce = derive(`nonce\n${value}`).subarray(0, nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
      const hidden = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]);
    },
    unseal: (sealed) => {
      const nonce = sealed.subarray(0, nonceBytes);
      const cipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
      cipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const shown = cipher.update(sealed.subarray(nonceBytes + tagBytes));
      return Buffer.concat([shown, cipher.final()]).toString("utf8");
    },
  };
}

/** As `tieout.comparable_address` and `tieout.comparable_id` have it, so that two spellings are one. */
function comparable(kind: string, value: string): string {
  if (kind === "wallet") return comparableAddress(value);
  return kind === "name" && uuidForm.test(value) ? value.toLowerCase() : value;
}

const uuidForm = /^.{8}-.{4}-.{4}-.{4}-.{12}$/;

export function comparableAddress(address: string): string {
  return isCaseBlind(address) ? address.toLowerCase() : address;
}

/** Hexadecimal and bech32 addresses mean the same in either case; base58 does not. */
export function isCaseBlind(address: string): boolean {
  return (address.length === 42 && /^0x/i.test(address)) || /^(?:bc1|tb1|ltc1)/i.test(address);
}

/** In the place of a wallet address. */
export function erasedWallet(key: ErasureKey, accountId: number, wallet: string): string {
  if (wallet === "" || isErasedWallet(wallet)) return wallet;
  return `${walletMark}${key.digest(accountId, "wallet", wallet).slice(0, 32)}`;
}

const walletMark = "erased:";

export function isErasedWallet(wallet: string): boolean {
  return wallet.startsWith(walletMark);
}

/** In the place of a text of which nothing has to be recognised. */
export const erasedText = "erased";

/** In the place of a raw text: what it was can be shown by anyone who still has it, together with the key. */
export function erasedRaw(key: ErasureKey, accountId: number, raw: string): string {
  return `{"erased":"${key.digest(accountId, "text", raw)}"}`;
}

/**
 * A record without its personal data. Its hash is that of what is left, and what is left holds a commitment to the hash of
 * the whole: so an erased row is verified like any other, and the same record read again gives the same row.
 */
export function eraseRecord(
  key: ErasureKey,
  accountId: number,
  record: TransactionRecord,
): { record: TransactionRecord; recordHash: string } {
  const wallet = record.walletAddress;
  const commitment = key.digest(accountId, "record", recordHash(record));
  const erased: TransactionRecord = {
    ...record,
    walletAddress: wallet === null ? null : erasedWallet(key, accountId, wallet),
    extra: extraOf(record, commitment),
  };
  return { record: erased, recordHash: recordHash(erased) };
}

/** Our own reference stays, because statements are matched by it; unless it is the wallet itself. */
function extraOf({ extra, walletAddress }: TransactionRecord, commitment: string): CanonicalJson {
  const reference = (JSON.parse(extra) as { partnerContext?: unknown }).partnerContext;
  const holdsWallet =
    typeof reference === "string" &&
    walletAddress !== null &&
    walletAddress !== "" &&
    reference.toLowerCase().includes(walletAddress.toLowerCase());
  const kept =
    typeof reference === "string" && !holdsWallet ? `,"partnerContext":${canonicalString(reference)}` : "";
  const text = `{"erased":"${commitment}"${kept}}`;
  return canonicaliseJson(text) ?? (text as CanonicalJson);
}

/** What has been erased so far, and must be erased again when it arrives. */
export interface ErasedSubjects {
  /** The newest erasure that is known here. */
  readonly version: number;
  readonly key: ErasureKey | null;
  has(accountId: number, kind: SubjectKind, value: string): boolean;
  /** Whether anything at all was erased of this account. */
  any(accountId: number): boolean;
}

export const nothingErased: ErasedSubjects = {
  version: 0,
  key: null,
  has: () => false,
  any: () => false,
};

/** Whether an unreadable text names something that was erased. */
export function namesErased(subjects: ErasedSubjects, accountId: number, text: string): boolean {
  if (!subjects.any(accountId)) return false;
  return (text.match(/[\w.:@+-]{6,}/g) ?? []).some((token) =>
    [token, token.slice(token.lastIndexOf(":") + 1)].some((word) =>
      kinds.some((kind) => subjects.has(accountId, kind, word)),
    ),
  );
}

const kinds: readonly SubjectKind[] = ["wallet", "transaction", "name"];
