import { z } from "zod";
import { type Check, notApplicable } from "./check.ts";
import { expectRefusal, expectShape, isSuccess } from "./expect.ts";
import type { Target, TargetRequest } from "./target.ts";

/** The key that no account has. A wrong value must be refused like a missing one: otherwise nothing is required. */
const wrongCredential = "conformance-no-such-credential";

/** For the endpoints that require the key alone. `request` is given late: it may need the catalogue first. */
export function keyIsRequired(group: string, request: (target: Target) => Promise<TargetRequest>): Check[] {
  return [
    {
      id: `${group}.key.is-required`,
      sentence: "Requires the Authorization header.",
      async run(target) {
        const right = await answered(target, await request(target));
        const answer = await target.ask({ ...right, key: null });
        expectRefusal(answer, "a refusal without the Authorization header");
      },
    },
    {
      id: `${group}.key.is-the-header-itself`,
      sentence: "The header value is the key itself (<API_KEY>).",
      async run(target) {
        expectShape(await target.ask(await request(target)), z.unknown(), "an answer to the plain key");
      },
    },
  ];
}

/** For the two endpoints that require the key and the secret. */
export function secretIsRequired(
  group: string,
  request: (target: Target) => Promise<TargetRequest>,
): Check[] {
  const both = "Requires headers Authorization and x-service-secret.";
  const secret =
    "GET /transactions and GET /transactions/{transactionId} additionally carry the header `x-service-secret` holding the account's secret (<API_SECRET>).";
  const key =
    "Current surface: requests carry the account's public API key in the HTTP header `Authorization`.";
  const refusals = [
    { id: "key.is-required", sentence: both, change: { key: null }, without: "without Authorization" },
    {
      id: "secret.is-required",
      sentence: both,
      change: { secret: null },
      without: "without x-service-secret",
    },
    {
      id: "key.must-be-right",
      sentence: key,
      change: { key: wrongCredential },
      without: "of an unknown key",
    },
    {
      id: "secret.must-be-right",
      sentence: secret,
      change: { secret: wrongCredential },
      without: "of a wrong secret",
    },
  ];
  return refusals.map((refusal) => ({
    id: `${group}.${refusal.id}`,
    sentence: refusal.sentence,
    async run(target) {
      const right = await answered(target, await request(target));
      const answer = await target.ask({ ...right, ...refusal.change });
      expectRefusal(answer, `a refusal ${refusal.without}`);
    },
  }));
}

/** A server that refuses everything requires nothing: the right request must be answered before a wrong one counts. */
async function answered(target: Target, request: TargetRequest): Promise<TargetRequest> {
  const answer = await target.ask(request);
  if (!isSuccess(answer)) notApplicable(`${answer.request} is refused even with the right credentials`);
  return request;
}
