import { formatInstant } from "../../core/instant.ts";
import type { Fiat } from "../world/types.ts";
import type { Period } from "../statements/periods.ts";

/** A month of all accounts at a bank, before it is written in that bank's form. Amounts in smallest units. */
export interface BankFile {
  readonly period: Period;
  readonly bookings: readonly Booking[];
  readonly accounts: readonly BankAccount[];
}

export interface BankAccount {
  readonly number: string;
  readonly fiat: Fiat;
  readonly opening: bigint;
  /** Of its bookings, in the order of their days: their places in the file's list. */
  readonly bookings: readonly number[];
}

export interface Booking {
  readonly dateMs: number;
  /** Negative where money goes out. */
  readonly amount: bigint;
  /** The bank's own number. */
  readonly bankReference: string;
  readonly counterparty: string;
  /** Of the transfer, where the payer gave one. */
  readonly endToEndId: string | null;
  readonly text: string;
  /** Already taken off the amount. */
  readonly charges: bigint;
  /** Of a transfer on chain. */
  readonly hash: string | null;
  readonly sent: { readonly amount: bigint; readonly fiat: Fiat } | null;
  /** Told apart within one booking, where the bank can: the transfers of a batch. */
  readonly parts: readonly { readonly amount: bigint; readonly name: string }[];
  /** The payouts that it brings money of. */
  readonly payouts: readonly string[];
}

/** A whole number of physical lines, and the booking that begins with the first of them: its place in the file's list. */
export interface FilePiece {
  readonly text: string;
  readonly booking: number | null;
}

export function closingOf({ bookings }: BankFile, account: BankAccount): bigint {
  return account.bookings.reduce((sum, at) => sum + (bookings[at]?.amount ?? 0n), account.opening);
}

/** `2026-10-24` */
export function dayOf(ms: number): string {
  return formatInstant(ms).slice(0, 10);
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
