import { z } from "zod";
import { type Check, differ, notApplicable, type Read, row, type Rule } from "./check.ts";
import { body, describe, isSuccess, type Json, refuses, same, type Seen, show } from "./rules.ts";
import type { Answer, Target, TargetRequest } from "./target.ts";

/** Rows that several endpoints share, because the specification says one thing of all of them. */

/** `type`: buy by default, sell too, nothing else. */
export function typeRows(request: Read<TargetRequest>, about: number, shape: z.ZodType): Check[] {
  const asking = async (target: Target, query: Record<string, string>) => {
    const plain = await request(target);
    return { ...plain, query: { ...plain.query, ...query } };
  };
  const sell: Read<Answer> = async (target) => target.ask(await asking(target, { type: "sell" }));
  return [
    row("type.default-is-buy", [13, about], request, async (plain, target) =>
      same(target, await asking(target, { type: "buy" }), plain, "what type=buy gives"),
    ),
    row("type.sell-is-accepted", [12, about], sell, body(shape, "an answer for type=sell")),
    row("type.is-buy-or-sell", [12], request, async (plain, target) => {
      await answered(target, plain);
      await refuses(target, await asking(target, { type: "swap" }), "a refusal of type=swap");
    }),
  ];
}

/** The credential that no account has. A wrong value must be refused like a missing one: otherwise nothing is required. */
const wrongCredential = "conformance-no-such-credential";

/** For the endpoints that require the key alone. `request` is given late: it may need the catalogue first. */
export function keyRows(request: Read<TargetRequest>, about: number): Check[] {
  return [
    refusal("key.is-required", [about, 242], request, { key: null }),
    refusal("key.must-be-right", [about, 242], request, { key: wrongCredential }),
    row(
      "key.is-the-header-itself",
      [242],
      async (target) => target.ask(await request(target)),
      body(z.unknown(), "an answer to the plain key"),
    ),
    row("key.refusal-is-json", [4], request, async (plain, target) => {
      const answer = await target.ask({ ...(await answered(target, plain)), key: null });
      if (answer.json === undefined && answer.text !== "") differ(answer, "JSON", describe(answer));
    }),
  ];
}

/** For the two endpoints that require the key and the secret. */
export function secretRows(request: Read<TargetRequest>, about: number): Check[] {
  return [
    refusal("key.is-required", [about], request, { key: null }),
    refusal("secret.is-required", [about, 243], request, { secret: null }),
    refusal("key.must-be-right", [about, 242], request, { key: wrongCredential }),
    refusal("secret.must-be-right", [about, 243], request, { secret: wrongCredential }),
  ];
}

function refusal(
  id: string,
  about: readonly number[],
  request: Read<TargetRequest>,
  change: Pick<TargetRequest, "key" | "secret">,
): Check {
  const [header, value] = Object.entries(change)[0] ?? [];
  const expected = `a refusal ${value === null ? "without" : "of a wrong"} ${header}`;
  return row(id, about, request, async (right, target) =>
    refuses(target, { ...(await answered(target, right)), ...change }, expected),
  );
}

/** A server that refuses everything requires nothing: the right request must be answered before a wrong one counts. */
export async function answered(target: Target, request: TargetRequest): Promise<TargetRequest> {
  const answer = await target.ask(request);
  if (!isSuccess(answer)) notApplicable(`${answer.request} is refused even with the right credentials`);
  return request;
}

/** Pictures behind some of the urls; all of them would be hundreds of requests. */
export function picturesOpen(urlOf: (item: Json) => unknown): Rule<Seen> {
  return async ({ items }, target) => {
    const urls = items.map(urlOf).filter((url) => typeof url === "string" && URL.canParse(url));
    if (urls.length === 0) notApplicable("no url to open");
    const sample = new Set([urls[0], urls[Math.floor(urls.length / 2)], urls.at(-1)]);
    for (const url of sample) {
      const answer = await target.ask({ surface: "absolute", path: String(url) });
      const isPicture =
        isSuccess(answer) && answer.contentType.startsWith("image/") && answer.bytes.length > 0;
      if (!isPicture) differ(answer, "a picture", `status ${answer.status}, ${answer.contentType}`);
    }
  };
}

/** A PNG says its width and height in its first bytes. */
export function pngIs(size: number, urlOf: (item: Json) => unknown): Rule<Seen> {
  return async ({ items }, target) => {
    const url = items.map(urlOf).find((one) => typeof one === "string");
    if (url === undefined || !URL.canParse(url)) notApplicable("no url to open");
    const answer = await target.ask({ surface: "absolute", path: url });
    const bytes = Buffer.from(answer.bytes);
    const isPng = bytes.length > 24 && bytes.subarray(1, 4).toString("latin1") === "PNG";
    const seen = isPng ? `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}` : show(answer.contentType);
    if (seen !== `${size}x${size}`) differ(answer, `a PNG of ${size}x${size}`, seen);
  };
}
