import { z } from "zod";
import { field, lower, readCrypto } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { exampleAddress } from "../example-values.ts";
import { expectRefusal, expectSame, expectShape, isObject, isSuccess } from "../expect.ts";
import { buyQuotes } from "../quotes.ts";
import { absoluteUrl, filledText } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";

const path = "/checkout/intent";
const sessionRule =
  "`sessionInformation` fields: onramp, source, destination, amount, type, paymentMethod, network, uuid, originatingHost, wallet (as in the request), supportedParams (carrying `theme`), country (string, upper-case), expiringTime (integer timestamp), sessionId (string).";

const checks: readonly Check[] = [
  {
    id: "checkout.wrapped-in-message",
    sentence: "Response: `{message: Checkout intent response}`.",
    async run(target) {
      const { answer } = await intent(target);
      const message = z.looseObject({
        sessionInformation: z.looseObject({}),
        transactionInformation: z.looseObject({}),
      });
      expectShape(answer, z.looseObject({ message }), "`sessionInformation` and `transactionInformation`");
    },
  },
  {
    id: "checkout.validation-information-is-a-boolean",
    sentence: "| validationInformation | boolean |",
    async run(target) {
      const { answer } = await acceptedIntent(target);
      const message = z.looseObject({ validationInformation: z.boolean() });
      expectShape(answer, z.looseObject({ message }), "a boolean `validationInformation`");
    },
  },
  {
    id: "checkout.status-is-a-string",
    sentence: "| status | string; value seen: in_progress |",
    async run(target) {
      const { answer } = await acceptedIntent(target);
      expectShape(
        answer,
        z.looseObject({ message: z.looseObject({ status: filledText }) }),
        "a string `status`",
      );
    },
  },
  {
    id: "checkout.session.repeats-the-request",
    sentence: sessionRule,
    async run(target) {
      const { answer, body, session } = await acceptedIntent(target);
      const seen = Object.fromEntries(echoed.map((name) => [name, session[name]]));
      const sent = Object.fromEntries(echoed.map((name) => [name, body[name]]));
      expectSame(
        { given: answer, other: answer },
        { given: sent, other: seen },
        "the fields as they were sent",
      );
    },
  },
  {
    id: "checkout.session.carries-the-theme",
    sentence: sessionRule,
    async run(target) {
      const { answer, session } = await acceptedIntent(target);
      const values = { given: theme, other: field(session["supportedParams"], "theme") };
      expectSame({ given: answer, other: answer }, values, "`supportedParams.theme` as it was sent");
    },
  },
  {
    id: "checkout.session.country-is-upper-case",
    sentence: sessionRule,
    async run(target) {
      await expectSession(target, { country: z.string().regex(/^[A-Z]{2}$/) }, "an upper-case `country`");
    },
  },
  {
    id: "checkout.session.expiring-time-is-an-integer",
    sentence: sessionRule,
    async run(target) {
      await expectSession(target, { expiringTime: z.int() }, "an integer `expiringTime`");
    },
  },
  {
    id: "checkout.session.has-an-id",
    sentence: sessionRule,
    async run(target) {
      await expectSession(target, { sessionId: filledText }, "a string `sessionId`");
    },
  },
  {
    id: "checkout.transaction.has-an-id",
    sentence: "It returns a session and a transaction that carries a URL to present to the end user.",
    async run(target) {
      await expectTransaction(
        target,
        { transactionId: filledText, type: filledText },
        "`transactionId` and `type`",
      );
    },
  },
  {
    id: "checkout.transaction.url-is-absolute",
    sentence: "| url | url (the page to present to the user) |",
    async run(target) {
      await expectTransaction(target, { url: absoluteUrl }, "an absolute `url`");
    },
  },
  {
    id: "checkout.transaction.permissions",
    sentence: "| params | object; key `permissions` (string listing browser permissions for the frame) |",
    async run(target) {
      await expectTransaction(
        target,
        { params: z.looseObject({ permissions: z.string() }) },
        "`params.permissions`",
      );
    },
  },
  {
    id: "checkout.body-must-be-json",
    sentence: "All request bodies and responses are JSON.",
    async run(target) {
      await acceptedIntent(target);
      const answer = await target.ask({ method: "POST", path, body: "onramp=none&amount" });
      expectRefusal(answer, "a refusal of a body that is not JSON");
    },
  },
];

const echoed = [
  "onramp",
  "source",
  "destination",
  "amount",
  "type",
  "paymentMethod",
  "network",
  "uuid",
  "originatingHost",
  "wallet",
];

const theme = {
  isDark: false,
  themeName: "light-theme",
  primaryColor: "#241d1c",
  secondaryColor: "#ffffff",
  primaryTextColor: "#141519",
  secondaryTextColor: "#6b6f80",
  cardColor: "#f6f7f9",
  borderRadius: null,
};

interface Intent {
  readonly answer: Answer;
  readonly body: Record<string, unknown>;
}

/** One checkout a run, for a quote that the server has just given. It is never paid. */
async function intent(target: Target): Promise<Intent> {
  return target.once("checkout intent", async () => {
    const { request, items } = await buyQuotes(target);
    const [, , source = "", destination = ""] = request.path.split("/");
    const quote = items[0];
    const network = await networkOf(target, destination);
    const body = {
      onramp: quote?.["ramp"],
      source,
      destination,
      amount: Number(request.query["amount"]),
      type: "buy",
      paymentMethod: quote?.["paymentMethod"],
      network: network.name,
      uuid: "1b0e9a52-52c5-4b5b-8d0f-3f7d6c1c2a77",
      partnerContext: "conformance",
      originatingHost: "conformance.example",
      metaData: { quoteId: quote?.["quoteId"] },
      wallet: { address: network.exampleAddress },
      supportedParams: {
        theme,
        partnerData: { redirectUrl: { success: "https%3A%2F%2Fconformance.example%2F" } },
      },
    };
    return { body, answer: await target.ask({ method: "POST", path, body: JSON.stringify(body) }) };
  });
}

async function acceptedIntent(target: Target) {
  const made = await intent(target);
  const message = field(made.answer.json, "message");
  const session = field(message, "sessionInformation");
  if (!isSuccess(made.answer) || !isObject(session)) notApplicable("the checkout intent was not accepted");
  return { ...made, session };
}

async function expectSession(target: Target, fields: z.ZodRawShape, expected: string): Promise<void> {
  const { answer } = await acceptedIntent(target);
  const message = z.looseObject({ sessionInformation: z.looseObject(fields) });
  expectShape(answer, z.looseObject({ message }), expected);
}

async function expectTransaction(target: Target, fields: z.ZodRawShape, expected: string): Promise<void> {
  const { answer } = await acceptedIntent(target);
  const message = z.looseObject({ transactionInformation: z.looseObject(fields) });
  expectShape(answer, z.looseObject({ message }), expected);
}

async function networkOf(target: Target, code: string): Promise<{ name: string; exampleAddress: string }> {
  const { items } = await readCrypto(target);
  const asset =
    items.find((item) => lower(item["id"]) === code) ?? items.find((item) => lower(item["code"]) === code);
  const network = asset?.["network"];
  const name = typeof network === "string" ? network : "";
  return { name, exampleAddress: exampleAddress(name) };
}

export const checkout: CheckGroup = {
  name: "checkout",
  endpoint: "POST /checkout/intent",
  surface: "current",
  writes: true,
  checks,
};
