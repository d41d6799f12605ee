import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Account } from "./accounts/account.ts";
import type { KeyRing } from "./accounts/key-ring.ts";
import type { Pace } from "./accounts/pace.ts";
import type { Journal } from "./checkout/journal.ts";
import type { CountryFinder } from "./country-of-address.ts";
import type { Switches } from "./switches.ts";
import { isIsoCountry } from "./world/iso-countries.ts";
import type { World } from "./world/types.ts";

/** Everything the routes of both surfaces may touch. One object per sandbox: nothing lives in modules. */
export interface SandboxDeps {
  readonly world: World;
  readonly accounts: KeyRing;
  readonly pace: Pace;
  readonly journal: Journal;
  readonly countries: CountryFinder;
  readonly switches: Switches;
  readonly settings: RouteSettings;
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** `http://host:port`, known once the server listens. */
  readonly origin: () => string;
  /** For what a person running the sandbox should see. */
  readonly warn: (message: string) => void;
}

interface RouteSettings {
  /** The country of addresses without a known one; upper case. */
  readonly defaultCountry: string;
  /** Behind a proxy of one's own; otherwise anyone could choose a country by a header. */
  readonly trustForwardedFor: boolean;
  /** A header in which that proxy names the country of the address; lower case. */
  readonly countryHeader: string | null;
  /** How much faster than the clock a transaction moves: 60 is a minute a second. */
  readonly timeScale: number;
  readonly sessionSeconds: number;
  /** Whether providers that cannot quote appear with their reasons, as some servers do, with HTTP 200. */
  readonly quoteErrors: boolean;
}

// `incoming` is missing when a test calls the application without a socket.
export type SandboxEnv = { Bindings: Partial<HttpBindings> };
export type SandboxContext = Context<SandboxEnv>;

/** The caller: an account, or an anonymous one. */
export type Caller = Account | null;

/** The country asked for, or else the one of the request's address, or else the configured one. */
export function resolveCountry(deps: SandboxDeps, c: SandboxContext, asked: string | undefined): string {
  return (
    asked ??
    countryFromProxy(deps, c) ??
    deps.countries.countryOf(addressOf(deps, c)) ??
    deps.settings.defaultCountry
  );
}

/** Networks that stand between a server and the world look the address up themselves. They say XX when they do not know. */
function countryFromProxy({ settings }: SandboxDeps, c: SandboxContext): string | null {
  if (settings.countryHeader === null) return null;
  const code = c.req.header(settings.countryHeader)?.trim().toUpperCase() ?? "";
  return isIsoCountry(code) ? code : null;
}

function addressOf(deps: SandboxDeps, c: SandboxContext): string | undefined {
  const forwarded = deps.settings.trustForwardedFor ? c.req.header("x-forwarded-for") : undefined;
  return forwarded?.split(",")[0]?.trim() ?? c.env?.incoming?.socket.remoteAddress;
}
