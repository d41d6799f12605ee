import { z } from "zod";
import { field, readFiat, readList, someCountries } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectEach, expectSame, expectShape, expectThat, isObject, isSuccess, show } from "../expect.ts";
import { absoluteUrl, paymentType } from "../shapes.ts";
import type { Target } from "../target.ts";

const path = "/supported/payment-types";

const checksOfAll: readonly Check[] = [
  {
    id: "payment-types.keyed-by-id",
    sentence:
      "Response: `{message: {<paymentTypeId>: Payment type, ...}}`, an object keyed by payment type id.",
    async run(target) {
      const answer = await target.ask({ path });
      const shape = z.looseObject({ message: z.record(z.string(), z.looseObject({})) });
      const { message } = expectShape(answer, shape, "an object `message` of objects");
      const wrong = Object.entries(message).find(([id, type]) => type["paymentTypeId"] !== id);
      expectThat(answer, wrong === undefined, {
        expected: "every key to be the `paymentTypeId` under it",
        seen: `${show(wrong?.[1]["paymentTypeId"])} under ${show(wrong?.[0])}`,
      });
    },
  },
  {
    id: "payment-types.texts",
    sentence: "| paymentTypeId | string |",
    async run(target) {
      const { answer, items } = await readAll(target);
      expectEach(answer, { at: "message", items }, paymentType, "strings `paymentTypeId` and `name`");
    },
  },
  {
    id: "payment-types.icon-is-an-absolute-url",
    sentence: "A url is a string holding an absolute URL.",
    async run(target) {
      const { answer, items } = await readAll(target);
      const shape = z.looseObject({ icon: absoluteUrl });
      expectEach(answer, { at: "message", items }, shape, "an absolute URL `icon`");
    },
  },
  {
    id: "payment-types.type.default-is-buy",
    sentence: "Transaction type parameters take `buy` or `sell`, default `buy`.",
    async run(target) {
      const given = await target.ask({ path, query: { type: "buy" } });
      const other = await target.ask({ path });
      expectSame({ given, other }, { given: given.json, other: other.json }, "what type=buy gives");
    },
  },
  {
    id: "payment-types.country-is-accepted",
    sentence: "Query: `country` (optional), `type` (optional).",
    async run(target) {
      for (const country of await someCountries(target, 3)) {
        const answer = await target.ask({ path, query: { country } });
        const shape = z.looseObject({ message: z.record(z.string(), paymentType) });
        expectShape(answer, shape, "payment types keyed by id");
      }
    },
  },
];

async function readAll(target: Target) {
  const answer = await target.ask({ path });
  const message = field(answer.json, "message");
  if (!isSuccess(answer) || typeof message !== "object" || message === null) {
    notApplicable(`${answer.request} gave no payment types to judge by`);
  }
  return { answer, items: Object.values(message).filter(isObject) };
}

export const paymentTypes: CheckGroup = {
  name: "payment-types",
  endpoint: "GET /supported/payment-types",
  surface: "current",
  writes: false,
  checks: checksOfAll,
};

const fiatsAskedMax = 8;

const checksOfOneFiat: readonly Check[] = [
  {
    id: "payment-types-of-fiat.is-a-list",
    sentence: "Response: `{message: [Payment type]}`.",
    async run(target) {
      const shape = z.looseObject({ message: z.array(paymentType) });
      expectShape(await target.ask(await ofFirstFiat(target)), shape, "an array `message` of payment types");
    },
  },
  {
    id: "payment-types-of-fiat.any-available-fiat",
    sentence: "Path: `fiat`, any available fiat currency.",
    async run(target) {
      const { items } = await readFiat(target);
      const answers = items
        .slice(0, fiatsAskedMax)
        .map((fiat) => target.ask({ path: `${path}/${String(fiat["code"])}` }));
      for (const answer of await Promise.all(answers)) {
        expectShape(answer, z.looseObject({ message: z.array(z.unknown()) }), "an array `message`");
      }
    },
  },
  {
    id: "payment-types-of-fiat.icon-is-an-absolute-url",
    sentence: "A url is a string holding an absolute URL.",
    async run(target) {
      const { answer, items } = await readList(target, await ofFirstFiat(target), "message");
      const shape = z.looseObject({ icon: absoluteUrl });
      expectEach(answer, { at: "message", items }, shape, "an absolute URL `icon`");
    },
  },
  {
    id: "payment-types-of-fiat.type.default-is-buy",
    sentence: "Transaction type parameters take `buy` or `sell`, default `buy`.",
    async run(target) {
      const request = await ofFirstFiat(target);
      const given = await target.ask({ ...request, query: { type: "buy" } });
      const other = await target.ask(request);
      expectSame({ given, other }, { given: given.json, other: other.json }, "what type=buy gives");
    },
  },
  {
    id: "payment-types-of-fiat.country-is-accepted",
    sentence: "Query: `country`, `type` (both optional).",
    async run(target) {
      const request = await ofFirstFiat(target);
      for (const country of await someCountries(target, 3)) {
        const answer = await target.ask({ ...request, query: { country, type: "buy" } });
        expectShape(answer, z.looseObject({ message: z.array(paymentType) }), "an array of payment types");
      }
    },
  },
];

async function ofFirstFiat(target: Target) {
  const { answer, items } = await readFiat(target);
  const code = items[0]?.["code"];
  if (typeof code !== "string") notApplicable(`${answer.request} names no fiat currency`);
  return { path: `${path}/${code}` };
}

export const paymentTypesOfFiat: CheckGroup = {
  name: "payment-types-of-fiat",
  endpoint: "GET /supported/payment-types/{fiat}",
  surface: "current",
  writes: false,
  checks: checksOfOneFiat,
};
