import { z } from "zod";
import { gateways } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { exampleValue } from "./example-values.ts";
import { availableRates, codesOf, isAvailable, type Lane, ratesOf } from "./rates.ts";
import { isObject, isSuccess, type Json, type Seen } from "./rules.ts";
import { type FieldDescriptor, fieldDescriptor, type Step, step } from "./shapes.ts";
import type { Answer, Target } from "./target.ts";

export interface Form {
  readonly url: string;
  readonly fields: readonly FieldDescriptor[];
}

/** A step on the way, and the answer that it led to; `null` for one that is not executed by a request. */
export interface Visit {
  readonly step: Step;
  readonly answer: Answer | null;
}

const flowsMax = 4;
const stepsMax = 12;

/** Purchases as far as they go without a person, a browser or a bank. Nothing is ever paid. */
export async function visits(target: Target): Promise<Visit[]> {
  return target.once("flows", async () => {
    const { lane, items, amount } = await availableRates(target);
    // A few gateways, because each leads its customers another way, and then other ways to pay.
    const byCard = items.slice(0, flowsMax).map((entry) => follow(target, entry["nextStep"], lane));
    const others = await otherMethods(target, lane, amount);
    const byOthers = others.map(({ entry, lane: other }) => follow(target, entry["nextStep"], other));
    return (await Promise.all([...byCard, ...byOthers])).flat();
  });
}

/** The answers to steps of one type, as a list to judge; not applicable when no flow has such a step. */
export function answersTo(type: string): (target: Target) => Promise<Visit[]> {
  return async (target) => {
    const found = (await visits(target)).filter((visit) => visit.step.type === type);
    if (found.length === 0) notApplicable(`no purchase came to a ${type} step`);
    return found;
  };
}

export async function allSteps(target: Target): Promise<Seen> {
  const { answer, items } = await availableRates(target);
  const met = (await visits(target)).map((visit) => visit.step);
  return { answer, items: [...items.map((entry) => entry["nextStep"]).filter(isObject), ...met], at: "step" };
}

/** `fresh`: of a purchase that no other check has begun. */
export async function firstForm(target: Target, fresh = false): Promise<Form & { lane: Lane }> {
  const known = await availableRates(target);
  const { lane, items } = fresh ? await ratesOf(target, known.lane, known.amount, {}, true) : known;
  const form = items.map((entry) => formOf(entry["nextStep"])).find((found) => found !== null);
  return { ...(form ?? notApplicable("no gateway starts with a form")), lane };
}

/** Values that a person could have typed. `choice` picks another wallet. */
export function fillIn(form: Form, lane: Lane, choice = 0): Record<string, unknown> {
  const network = networkHints[lane.crypto.toUpperCase()] ?? lane.crypto;
  return Object.fromEntries(form.fields.map((one) => [one.name, exampleValue(one, network, choice)]));
}

export function send(target: Target, url: string, body: string): Promise<Answer> {
  return target.ask({ method: "POST", surface: "absolute", path: url, body });
}

/** From one step to the next until a request leads no further. */
export async function follow(target: Target, first: unknown, lane: Lane, choice = 0): Promise<Visit[]> {
  const seen: Visit[] = [];
  let next: unknown = first;
  while (seen.length < stepsMax) {
    const current = step.safeParse(next).data;
    if (current === undefined) return seen;
    const answer = await execute(target, current, lane, choice);
    seen.push({ step: current, answer });
    next = current.type === "pickOne" ? optionOf(current) : followUp(current, answer);
  }
  return seen;
}

async function execute(target: Target, current: Step, lane: Lane, choice: number): Promise<Answer | null> {
  const form = formOf(current);
  if (form !== null) return send(target, form.url, JSON.stringify(fillIn(form, lane, choice)));
  if (current.url === undefined) return null;
  const at = { surface: "absolute", path: current.url, fresh: true } as const;
  if (current.type === "file") {
    const accepted = z.array(z.string()).safeParse(current["acceptedContentTypes"]).data ?? [];
    const contentType = accepted.find((type) => type === "image/png") ?? accepted[0] ?? "image/png";
    return target.ask({ ...at, method: "PUT", body: onePixel, contentType });
  }
  return current.type === "iframe" || current.type === "redirect" ? target.ask(at) : null;
}

function followUp(current: Step, answer: Answer | null): unknown {
  const goesOn = current.type === "form" || current.type === "file";
  return goesOn && answer !== null && isSuccess(answer) ? answer.json : undefined;
}

/** The shape of an option is not shown: it is a step, or an object that holds one. */
export function optionOf(pickOne: Json): unknown {
  const options = pickOne["options"];
  const [first] = Array.isArray(options) ? options : Object.values(isObject(options) ? options : {});
  const inside = isObject(first) ? [first, first["nextStep"], first["step"]] : [];
  return inside.find((one) => step.safeParse(one).success);
}

export function formOf(found: unknown): Form | null {
  const form = step.safeParse(found).data;
  const described = z.array(fieldDescriptor).safeParse(form?.data);
  if (form?.type !== "form" || form.url === undefined || !described.success) return null;
  return { url: form.url, fields: described.data };
}

/** One purchase for each of a few other ways to pay that some gateway offers. */
async function otherMethods(
  target: Target,
  lane: Lane,
  amount: number,
): Promise<{ lane: Lane; entry: Json }[]> {
  const { items } = await gateways()(target);
  const all = [...new Set(items.flatMap((gateway) => codesOf(gateway["paymentMethods"])))];
  const others = all.filter((method) => method !== lane.paymentMethod);
  const chosen = kindsOfMethods.flatMap((kind) => others.filter((method) => kind.test(method)).slice(0, 2));
  const found = [...new Set(chosen)].map(async (paymentMethod) => {
    const other = { ...lane, paymentMethod };
    const entry = (await ratesOf(target, other, amount)).items.find(isAvailable);
    return entry === undefined ? [] : [{ lane: other, entry }];
  });
  return (await Promise.all(found)).flat();
}

/** Wallets of phones lead to a redirect and banks to a transfer: the steps that a card does not come to. */
const kindsOfMethods = [/pay(pal)?$/i, /bank|sepa|^ach$|transfer/i, /./];

const networkHints: Readonly<Record<string, string>> = {
  BTC: "bitcoin",
  LTC: "litecoin",
  DOGE: "dogecoin",
  SOL: "solana",
};

/** The smallest picture there is. */
const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
