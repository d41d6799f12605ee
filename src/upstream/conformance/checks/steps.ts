import { z } from "zod";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { exampleValue } from "../example-values.ts";
import { describeAnswer, expectEach, expectShape, expectThat, isSuccess, show } from "../expect.ts";
import { rates } from "../rates.ts";
import { type FieldDescriptor, fieldDescriptor, filledText, type Step, step } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";

const wrongForm =
  "For a form step whose body is wrong, the error object is `{message: string, field: string}`.";
const formError = z.looseObject({ message: filledText, field: filledText });
const flowsMax = 4;
const formsMax = 6;

const checks: readonly Check[] = [
  {
    id: "steps.form.wrong-body-names-a-field",
    sentence: wrongForm,
    async run(target) {
      const { answer } = await wrongBody(target);
      const found = formError.safeParse(answer.json);
      expectThat(answer, found.success, { expected: "`{message, field}`", seen: describeAnswer(answer) });
    },
  },
  {
    id: "steps.form.field-is-one-of-the-form",
    sentence:
      "| Earlier surface, form step with an invalid field | object `{message: string, field: string}`; `field` names the offending body key |",
    async run(target) {
      const { answer, names } = await wrongBody(target);
      const found = formError.safeParse(answer.json);
      if (!found.success) notApplicable("the wrong form got no `{message, field}`");
      const { field } = found.data;
      expectThat(answer, names.includes(field), {
        expected: `one of ${names.join(", ")}`,
        seen: show(field),
      });
    },
  },
  {
    id: "steps.form.gives-the-next-step",
    sentence:
      "| form | POST to `url` with a JSON body whose keys are the `name` values of `data` | a new step, or an error object |",
    async run(target) {
      const { answers } = await flow(target);
      const steps = answers.filter((answer) => !formError.safeParse(answer.json).success);
      if (steps.length === 0) notApplicable("every form wants a value that the suite does not know");
      for (const answer of steps)
        expectShape(answer, step, "a step after a form, with a url where one is needed");
    },
  },
  {
    id: "steps.form.fields",
    sentence:
      "Field descriptor: `type` (string; value seen: string), `name` (string; the key to use in the submitted body), `humanName` (string), `hint` (string, optional).",
    async run(target) {
      const { answers, steps } = await flow(target);
      const answer = answers.at(-1);
      const items = steps.filter((one) => one.type === "form").flatMap((one) => one.data ?? []);
      if (answer === undefined || items.length === 0) notApplicable("no form in the flow");
      expectEach(answer, { at: "data", items }, fieldDescriptor, "field descriptors");
    },
  },
  {
    id: "steps.pick-one-has-options",
    sentence:
      "| pickOne | user chooses one of the steps listed in the step's `options` attribute | the chosen step is executed |",
    async run(target) {
      const { answers, steps } = await flow(target);
      const items = steps.filter((one) => one.type === "pickOne");
      const answer = answers.at(-1);
      if (answer === undefined || items.length === 0) notApplicable("the flow offers no choice");
      const shape = z.looseObject({ options: z.union([z.array(z.unknown()).min(1), z.looseObject({})]) });
      expectEach(answer, { at: "steps", items }, shape, "`options` to choose from");
    },
  },
  {
    id: "steps.page-can-be-opened",
    sentence:
      "| iframe | present `url` in an embedded frame; receive browser window messages from it | the next step arrives via the message |",
    async run(target) {
      const { steps } = await flow(target);
      const page = steps.find((one) => one.type === "iframe" || one.type === "redirect");
      if (page?.url === undefined) notApplicable("the flow leads to no page");
      const answer = await target.ask({ surface: "absolute", path: page.url });
      expectThat(answer, isSuccess(answer) && answer.text !== "", {
        expected: "a page to present",
        seen: describeAnswer(answer),
      });
    },
  },
];

/** The first form of a gateway, sent without any of its fields. */
async function wrongBody(target: Target): Promise<{ answer: Answer; names: string[] }> {
  const form = await firstForm(target);
  const answer = await target.once("wrong form", () =>
    target.ask({ method: "POST", surface: "absolute", path: form.url, body: "{}" }),
  );
  return { answer, names: form.fields.map((one) => one.name) };
}

async function firstForm(target: Target): Promise<Form> {
  const { forms } = await startingForms(target);
  return forms[0] ?? notApplicable("no gateway starts with a form");
}

async function startingForms(target: Target) {
  const { lane, entries } = await rates(target);
  const forms = entries.map((entry) => formOf(step.safeParse(entry["nextStep"]).data));
  return { lane, forms: forms.filter((form) => form !== null) };
}

interface Form {
  readonly url: string;
  readonly fields: readonly FieldDescriptor[];
}

function formOf(found: Step | undefined): Form | null {
  const fields = z.array(fieldDescriptor).safeParse(found?.data);
  if (found?.type !== "form" || found.url === undefined || !fields.success) return null;
  return { url: found.url, fields: fields.data };
}

interface Flow {
  readonly answers: readonly Answer[];
  readonly steps: readonly Step[];
}

/** A few gateways, because each leads its customers another way. */
async function flow(target: Target): Promise<Flow> {
  return target.once("flow", async () => {
    const { lane, forms } = await startingForms(target);
    const flows = await Promise.all(
      forms.slice(0, flowsMax).map((form) => fillForms(target, form, lane.crypto)),
    );
    return { answers: flows.flatMap((one) => one.answers), steps: flows.flatMap((one) => one.steps) };
  });
}

/** Fills in one form after another, until a step needs a person, a browser or a bank. Nothing is ever paid. */
async function fillForms(target: Target, first: Form, crypto: string): Promise<Flow> {
  const answers: Answer[] = [];
  const steps: Step[] = [];
  let form: Form | null = first;
  while (form !== null && answers.length < formsMax) {
    const values = form.fields.map((one) => [one.name, exampleValue(one, networkHint(crypto))]);
    const body = JSON.stringify(Object.fromEntries(values));
    const answer = await target.ask({ method: "POST", surface: "absolute", path: form.url, body });
    answers.push(answer);
    const next = step.safeParse(answer.json).data;
    if (next !== undefined) steps.push(next);
    form = formOf(next);
  }
  return { answers, steps };
}

function networkHint(crypto: string): string {
  const names: Readonly<Record<string, string>> = {
    BTC: "bitcoin",
    LTC: "litecoin",
    DOGE: "dogecoin",
    SOL: "solana",
  };
  return names[crypto.toUpperCase()] ?? crypto;
}

export const steps: CheckGroup = {
  name: "steps",
  endpoint: "Step URLs",
  surface: "earlier",
  writes: true,
  checks,
};
