import type { MiddlewareHandler } from "hono";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { throwDice } from "../transactions/dice.ts";
import { noFaults } from "../transactions/faults.ts";
import { createRateLimit } from "../transactions/rate-limit.ts";
import { deliver } from "../transactions/deliver.ts";
import { delayAndSkew, json, spoil, strikeBefore, tooMany, type Answer } from "./tamper.ts";
import type { EndpointGroup } from "./trouble.ts";
import { refusalBody } from "../refusal.ts";

/** Lets the faults of an endpoint's group come before, instead of and after its answers. */
export function troubleAnswers(deps: SandboxDeps): MiddlewareHandler<SandboxEnv> {
  const { switches, world, now } = deps;
  const counts = new Map<EndpointGroup, { requests: number; limit: ReturnType<typeof createRateLimit> }>();
  return async (c, next) => {
    const group = groupOf(c.req.path);
    const faults = group === null ? noFaults : switches.trouble.answers[group];
    const isQuiet = Object.values(faults).every((value) => value === 0);
    if (group === null || isQuiet || c.req.method === "OPTIONS") {
      await next();
      return;
    }
    const count = counts.get(group) ?? { requests: 0, limit: createRateLimit() };
    counts.set(group, count);
    // Groups have chance of their own: trouble with quotes does not move what befalls a checkout.
    const dice = throwDice({ seed: `${world.seed} ${group}`, faults }, count.requests++);
    const errorBody = isEarlier(group) ? "earlier" : switches.dialect["error-body"];
    const scene = { dice, nowMs: now(), errorBody } as const;
    const isRevoked = faults["revoked-after"] > 0 && count.requests > faults["revoked-after"];
    const waitMs = count.limit.waitMs(faults["rate-limit"], scene.nowMs);
    let plain = strikeBefore(scene) ?? (isRevoked ? revoked(errorBody) : null);
    if (plain === null && waitMs > 0) plain = tooMany(scene, waitMs);
    if (plain === null) {
      await next();
      plain = spoil(dice, await answerOf(c.res));
    }
    c.res = undefined;
    c.res = deliver(c, delayAndSkew(readable(plain), faults, scene));
  };
}

function groupOf(path: string): EndpointGroup | null {
  return groups.find(([prefix]) => path.startsWith(prefix))?.[1] ?? null;
}

const groups: readonly (readonly [string, EndpointGroup])[] = [
  ["/supported", "supported"],
  ["/quotes/", "quotes"],
  ["/checkout/", "checkout"],
  ["/legacy/gateways", "gateways"],
  ["/legacy/rate/", "rate"],
  ["/legacy/steps/page/", "pages"],
  ["/legacy/steps/", "steps"],
  ["/sandbox/checkout/", "pages"],
];

function isEarlier(group: EndpointGroup): boolean {
  return group === "gateways" || group === "rate" || group === "steps";
}

function revoked(errorBody: Parameters<typeof refusalBody>[1]): Answer {
  const refusal = {
    type: "API_KEY_INVALID",
    message: "The API key has been revoked.",
    field: "Authorization",
  } as const;
  return json(401, JSON.stringify(refusalBody(refusal, errorBody)));
}

async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    delayMs: 0,
    sending: "whole",
  };
}

/** A page on another origin must be able to read a 429, or it would take it for a broken network. */
function readable(answer: Answer): Answer {
  return {
    ...answer,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Retry-After",
      ...answer.headers,
    },
  };
}
