/** Single values, as every screen shows them. */
import type { PropsWithChildren } from "hono/jsx";
import { addDays, type Day as CalendarDay } from "../../core/period.ts";
import { isFiat } from "../../core/fiat.ts";
import { isFinalStatus, isKnownStatus } from "../../core/status.ts";
import {
  currencyParts,
  formatAge,
  formatAmount,
  formatCount,
  formatRounded,
  formatTime,
  machineTime,
  shortAmount,
  spellUnseen,
} from "../format.ts";

/** What even the narrowest column shows without cutting it off, in characters. */
const roomMin = 16;

interface GivenProps {
  text: string | null;
  mono?: boolean;
  whole?: boolean;
}

/**
 * Text that came from outside. Isolated, so that a right-to-left name turns round nothing but itself, and with what cannot be seen
 * spelled out; cut off by the style sheet where a table has no room, with the whole of it behind the pointer. `whole`: what someone
 * wrote to be read, such as a reason, takes as many lines as it needs.
 */
export function Given({ text, mono = false, whole = false }: GivenProps) {
  if (text === null || text === "") return <Nothing />;
  const kind = whole ? "whole-text" : "given";
  const shown = spellUnseen(text);
  return (
    <bdi class={mono ? `${kind} mono` : kind} title={!whole && shown.length > roomMin ? shown : undefined}>
      {shown}
    </bdi>
  );
}

/** Text from outside, as a link. */
export function GivenLink({ href, ...given }: { href: string; text: string | null; mono?: boolean }) {
  return (
    <a href={href}>
      <Given {...given} />
    </a>
  );
}

/** Nothing was sent: said, so that it is not mistaken for something that failed to load. */
export function Nothing() {
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="unseen">none</span>
    </span>
  );
}

export function Time({ at, zone, exact = false }: { at: string | null; zone: string; exact?: boolean }) {
  if (at === null) return <Nothing />;
  const utc = machineTime(at);
  return (
    <time datetime={utc} title={utc}>
      {formatTime(at, zone, { exact })}
    </time>
  );
}

/** A calendar day, as providers date payouts: midnight of UTC stands for the day itself, in every zone. */
export function Day({ at, zone }: { at: string | null; zone: string }) {
  if (at === null) return <Nothing />;
  const utc = machineTime(at);
  return (
    <time datetime={utc} title={utc}>
      {isMidnight(at) ? at.slice(0, 10) : formatTime(at, zone)}
    </time>
  );
}

/** From the first to the last day when both ends are whole days of UTC, and by the second otherwise. */
export function Period({ from, to, zone }: { from: string | null; to: string | null; zone: string }) {
  if (from === null || to === null) return <Nothing />;
  const days = isMidnight(from) && isMidnight(to);
  return (
    <span class="period" title={`${machineTime(from)} up to ${machineTime(to)}`}>
      {days ? from.slice(0, 10) : formatTime(from, zone)} –{" "}
      {days ? addDays(to.slice(0, 10) as CalendarDay, -1) : formatTime(to, zone)}
    </span>
  );
}

function isMidnight(at: string): boolean {
  return at.slice(11, 19) === "00:00:00";
}

export interface MoneyProps {
  amount: string | null;
  currency: string | null;
  /** With every digit, where it is looked at by itself. */
  full?: boolean;
  /** Without the currency, which stands in a column of its own. */
  bare?: boolean;
  /** A headline: a currency is rounded to its minor unit, where a table would cut it. */
  rounded?: boolean;
}

/** Long fractions are cut, with the whole of it behind the pointer and in what is copied. */
export function Money({ amount, currency, full = false, bare = false, rounded = false }: MoneyProps) {
  if (amount === null) return <Nothing />;
  const exact = formatAmount(amount, currency);
  if (rounded && currency !== null && isFiat(currency)) {
    return (
      <span class="money">
        <data value={amount} title={exact}>
          {formatRounded(amount, currency)}
        </data>{" "}
        <Currency word={currency} />
      </span>
    );
  }
  const { whole, fraction, isCut } = shortAmount(amount, currency);
  if (full && isCut) {
    return (
      <span class="money">
        <data value={amount}>{exact}</data> <Currency word={currency} />
      </span>
    );
  }
  return (
    <span class="money">
      <data value={amount} class={isCut ? "cut" : undefined} title={isCut ? exact : undefined}>
        {whole}
        <span class="fraction">{fraction}</span>
      </data>
      {!bare && (
        <>
          {" "}
          <Currency word={currency} />
        </>
      )}
    </span>
  );
}

export function Currency({ word }: { word: string | null }) {
  if (word === null || word === "") return <span class="currency muted">no currency</span>;
  const { code, network } = currencyParts(word);
  return (
    <bdi class="currency" title={network === null ? undefined : word}>
      {code}
      {network !== null && <small> {network}</small>}
    </bdi>
  );
}

export function Count({ of, href }: { of: number | string; href?: string }) {
  const text = formatCount(of);
  return href === undefined ? (
    <span class="figure">{text}</span>
  ) : (
    <a class="figure" href={href}>
      {text}
    </a>
  );
}

export function Age({ seconds }: { seconds: number | null }) {
  return seconds === null ? <Nothing /> : <span class="figure">{formatAge(Math.max(0, seconds))}</span>;
}

export type Tone = "good" | "bad" | "warn" | "calm" | "plain";

/** A state by its word, a sign and a colour: never by the colour alone. */
export function Chip({ tone, children }: PropsWithChildren<{ tone: Tone }>) {
  return (
    <span class={`chip chip-${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {children}
    </span>
  );
}

const signs: Record<Tone, string> = { good: "✓", bad: "✕", warn: "!", calm: "◌", plain: "·" };

export function Status({ status }: { status: string }) {
  return (
    <Chip tone={statusTone(status)}>
      <bdi>{status}</bdi>
    </Chip>
  );
}

function statusTone(status: string): Tone {
  if (status === "completed") return "good";
  if (!isKnownStatus(status)) return "warn";
  return isFinalStatus(status) ? "bad" : "calm";
}
