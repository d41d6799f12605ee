/** The steps of a purchase on the legacy surface: what each type carries, as read from an answer or a message. */
import { z } from "zod";
import { UnexpectedBody } from "./errors.ts";
import { parseExactJson } from "./exact-json.ts";
import { orEmpty, orNull, readAs, wireText } from "./wire.ts";

const formField = z.looseObject({
  /** `string`, `integer`, `boolean`, `date`, `select`, `choice`, or a word of the gateway's own. */
  type: orNull(wireText),
  /** The key to use in the submitted body. */
  name: wireText,
  humanName: orNull(wireText),
  hint: orNull(wireText),
});

const withUrl = { url: wireText };
const formStep = z.looseObject({ type: z.literal("form"), ...withUrl, data: orEmpty(formField) });
const iframeStep = z.looseObject({ type: z.literal("iframe"), ...withUrl });
const redirectStep = z.looseObject({ type: z.literal("redirect"), ...withUrl });
const fileStep = z.looseObject({
  type: z.literal("file"),
  ...withUrl,
  acceptedContentTypes: orEmpty(wireText),
});
const waitStep = z.looseObject({ type: z.literal("wait"), ...withUrl });
const pickOneStep = z.looseObject({
  type: z.literal("pickOne"),
  // The shape of an option is not shown: a whole step, or a titled object that holds one.
  options: z.array(z.looseObject({ title: orNull(wireText), description: orNull(wireText) })).min(1),
});
const completedStep = z.looseObject({ type: z.literal("completed"), trackingUrl: orNull(wireText) });
const bankTransactionStep = z.looseObject({
  type: z.literal("requestBankTransaction"),
  depositBankAccount: orNull(z.looseObject({})),
  reference: orNull(wireText),
  hint: orNull(wireText),
});

const knownStep = z.discriminatedUnion("type", [
  formStep,
  iframeStep,
  redirectStep,
  fileStep,
  waitStep,
  pickOneStep,
  completedStep,
  bankTransactionStep,
]);

export type FormStep = z.output<typeof formStep>;
export type FrameStep = z.output<typeof iframeStep> | z.output<typeof redirectStep>;
export type FileStep = z.output<typeof fileStep>;
export type WaitStep = z.output<typeof waitStep>;
export type PickOneStep = z.output<typeof pickOneStep>;
export type CompletedStep = z.output<typeof completedStep>;
export type BankTransactionStep = z.output<typeof bankTransactionStep>;
/** A type we do not know: data to be shown, not a reason to crash. */
export type UnknownStep = { type: "unknown"; word: string; received: Readonly<Record<string, unknown>> };
export type Step = z.output<typeof knownStep> | UnknownStep;

const stepTypes = new Set(knownStep.options.map((option) => option.shape.type.value as string));
const readKnownStep = readAs(knownStep);

/** Reads an answer as a step; throws `UnexpectedBody` when a known type lacks what it needs, or there is no type. */
export function readStep(answer: unknown): Step {
  return check(hasType(answer) ? answer : unwrap(answer));
}

/** Reads a step out of what carries it: a window message or an option, whose shapes are not shown. */
export function readCarriedStep(carrier: unknown): Step {
  return check(unwrap(carrier));
}

/** Whether an answer is, or carries, a step. */
export function holdsStep(answer: unknown): boolean {
  return unwrap(answer) !== null;
}

type Typed = Readonly<Record<string, unknown>> & { readonly type: string };

function check(step: Typed | null): Step {
  if (step === null) throw new UnexpectedBody("type", "expected a step");
  if (stepTypes.has(step.type)) return readKnownStep(step);
  return { type: "unknown", word: step.type, received: step };
}

// Looked through in this order; before its own type, so that `{type: "nextStep", nextStep: {…}}` is the inner step.
const wrappers = ["nextStep", "step", "payload", "message"];
const wrapperLevelsMax = 4;

function unwrap(carrier: unknown, levels = 0): Typed | null {
  if (levels > wrapperLevelsMax) return null;
  if (typeof carrier === "string") return unwrap(jsonOrNull(carrier), levels + 1);
  if (hasType(carrier) && stepTypes.has(carrier.type)) return carrier;
  if (typeof carrier !== "object" || carrier === null || Array.isArray(carrier)) return null;
  const members: Record<string, unknown> = { ...carrier };
  for (const name of wrappers) {
    const inner = unwrap(members[name], levels + 1);
    if (inner !== null) return inner;
  }
  return hasType(carrier) ? carrier : null;
}

function hasType(value: unknown): value is Typed {
  return typeof value === "object" && value !== null && "type" in value && isWord(value.type);
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function jsonOrNull(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return null;
  }
}
