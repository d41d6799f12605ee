/**
 * Drives a purchase on the legacy surface from its first step to its end. The server says what comes next; what a
 * person must do (fill a form, pay in a frame, choose) is asked of a handler for that type of step.
 */
import { UpstreamError, type Problem, UnexpectedBody } from "./errors.ts";
import { problemsIn } from "./refusal.ts";
import type { StepAnswer, StepCalls } from "./step-calls.ts";
import {
  type BankTransactionStep,
  type CompletedStep,
  type FileStep,
  type FormStep,
  type FrameStep,
  type PickOneStep,
  readCarriedStep,
  type Step,
  type UnknownStep,
  type WaitStep,
} from "./steps.ts";

type FormAnswers = Readonly<Record<string, string | number | boolean | null>>;

/** One per type of step. What a handler throws ends the flow. */
export interface StepHandlers {
  /** The answers, keyed by the `name` of each field. Called again with the problems until the server is content. */
  form(step: FormStep, problems: readonly Problem[]): Promise<FormAnswers> | FormAnswers;
  /** Presents the frame and returns the window message that it sends. */
  iframe(step: FrameStep): Promise<unknown>;
  redirect(step: FrameStep): Promise<unknown>;
  /** The index of the option chosen. */
  pickOne(step: PickOneStep): Promise<number> | number;
  file(step: FileStep): Promise<StepFile> | StepFile;
  /** Returns when it is time to ask again. */
  wait(step: WaitStep): Promise<void> | void;
  completed(step: CompletedStep): Promise<void> | void;
  /** The customer is to pay by bank; nothing is paid yet. */
  requestBankTransaction(step: BankTransactionStep): Promise<void> | void;
  /** For a type we do not know: the step that follows it, or `null` to stop. */
  unknown(step: UnknownStep): Promise<unknown>;
}

interface StepFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface FlowEnd {
  readonly end: "completed" | "bank_transaction_requested" | "stopped";
  readonly step: Step;
  readonly stepsTaken: number;
}

/** A purchase takes about ten; the chain is the server's, and it could lead round in a circle for ever. */
const stepsMaxDefault = 100;

export async function runSteps(
  calls: StepCalls,
  first: unknown,
  handlers: StepHandlers,
  options: { stepsMax?: number } = {},
): Promise<FlowEnd> {
  const stepsMax = options.stepsMax ?? stepsMaxDefault;
  let step = carriedStep(first);
  for (let stepsTaken = 1; stepsTaken <= stepsMax; stepsTaken++) {
    const next = await takeStep(calls, step, handlers);
    if (typeof next === "string") return { end: next, step, stepsTaken };
    step = next;
  }
  throw new UpstreamError("flow_too_long", `no end after ${stepsMax} steps`, {
    endpoint: `step ${step.type}`,
  });
}

async function takeStep(
  calls: StepCalls,
  step: Step,
  handlers: StepHandlers,
): Promise<Step | FlowEnd["end"]> {
  switch (step.type) {
    case "form":
      return fillForm(calls, step, handlers);
    case "iframe":
      return carriedStep(await handlers.iframe(step));
    case "redirect":
      return carriedStep(await handlers.redirect(step));
    case "pickOne":
      return pickOne(step, await handlers.pickOne(step));
    case "file":
      return nextOf(await calls.put(step.url, await handlers.file(step)), "PUT file step");
    case "wait":
      await handlers.wait(step);
      return nextOf(await calls.post(step.url, {}), "POST wait step");
    case "completed":
      await handlers.completed(step);
      return "completed";
    case "requestBankTransaction":
      await handlers.requestBankTransaction(step);
      return "bank_transaction_requested";
    case "unknown":
      break;
  }
  const next = await handlers.unknown(step);
  return next === null || next === undefined ? "stopped" : carriedStep(next);
}

/** A customer who needs more corrections than this will not get it right, and a server that never agrees must end. */
const formTriesMax = 20;

async function fillForm(calls: StepCalls, step: FormStep, handlers: StepHandlers): Promise<Step> {
  let problems: readonly Problem[] = [];
  for (let tries = 0; tries < formTriesMax; tries++) {
    const answer = await calls.post(step.url, await handlers.form(step, problems));
    if (answer.kind === "step") return answer.step;
    problems = answer.problems;
    if (problems.some(({ fatal }) => fatal)) break;
  }
  throw refusedStep("POST form step", problems);
}

function pickOne(step: PickOneStep, chosen: number): Step {
  const option = step.options[chosen];
  if (option === undefined)
    throw new RangeError(`pickOne has ${step.options.length} options; ${chosen} is none`);
  return carriedStep(option);
}

function nextOf(answer: StepAnswer, endpoint: string): Step {
  if (answer.kind === "step") return answer.step;
  throw refusedStep(endpoint, answer.problems);
}

function refusedStep(endpoint: string, problems: readonly Problem[]): UpstreamError {
  const said = problems.map(({ field, message }) => (field === null ? message : `${field}: ${message}`));
  return new UpstreamError("flow_refused", ["refused", ...said].join("; "), {
    endpoint,
    problems,
    field: problems.find(({ field }) => field !== null)?.field ?? null,
  });
}

/** A step that came in a message or an option rather than as an answer of ours. */
function carriedStep(received: unknown): Step {
  try {
    return readCarriedStep(received);
  } catch (error) {
    if (!(error instanceof UnexpectedBody)) throw error;
    // A frame may as well say that it came to nothing: the customer canceled, the card was declined.
    const problems = typeof received === "object" ? problemsIn(received) : [];
    if (problems.length > 0) throw refusedStep("step", problems);
    const details = { endpoint: "step", field: error.field };
    throw new UpstreamError("body_unexpected", error.message, details);
  }
}
