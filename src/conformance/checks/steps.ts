import { z } from "zod";
import { differ, group, notApplicable, row } from "../check.ts";
import {
  allSteps,
  answersTo,
  fillIn,
  firstForm,
  follow,
  optionOf,
  send,
  type Visit,
  visits,
} from "../flow.ts";
import { describe, every, fields, isSuccess, member, show } from "../rules.ts";
import { fieldDescriptor, formError, step } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";

const stepTypes = ["form", "iframe", "redirect", "pickOne", "file", "completed", "requestBankTransaction"];
/** Where a walk without a person, a browser or a bank must stop. */
const lastTypes = new Set(["iframe", "redirect", "completed", "requestBankTransaction"]);

export const steps = group({ name: "steps", endpoint: "Step URLs", surface: "legacy", writes: true }, [
  row(
    "types-are-those-of-the-table",
    [147],
    allSteps,
    every(`one of ${stepTypes.join(", ")}`, "type", (one) => stepTypes.includes(String(one["type"]))),
  ),
  row("urls-are-of-the-earlier-surface", [148, 239], allSteps, (seen, target) => {
    const items = seen.items.filter(({ type }) => type === "form" || type === "file");
    const base = new URL(target.legacyBaseUrl ?? "");
    every(
      `a url below ${base.href}`,
      "url",
      ({ url }) => URL.canParse(String(url)) && isBelow(base, new URL(String(url))),
    )({ ...seen, items });
  }),
  row(
    "form.is-a-post",
    [239],
    (target) => firstForm(target),
    async ({ url }, target) => {
      const answer = await target.ask({ surface: "absolute", path: url });
      if (isSuccess(answer) && step.safeParse(answer.json).success)
        differ(answer, "no step for a GET of a form", describe(answer));
    },
  ),
  row("form.wrong-body-names-a-field", [163, 241], (target) => sent(target, "{}"), isFormError),
  row(
    "form.body-that-is-not-json-names-a-field",
    [240, 241],
    (target) => sent(target, "no JSON"),
    isFormError,
  ),
  row("form.body-that-is-a-list-names-a-field", [240, 241], (target) => sent(target, "[]"), isFormError),
  row(
    "form.field-is-one-of-the-form",
    [246],
    (target) => firstForm(target),
    async ({ fields: own }, target) => {
      const names = own.map(({ name }) => name);
      for (const body of ["{}", "[]"]) {
        const answer = await sent(target, body);
        const found = formError.safeParse(answer.json).data;
        if (found !== undefined && !names.includes(found.field))
          differ(answer, `one of ${names.join(", ")}`, show(found.field));
      }
    },
  ),
  row(
    "form.names-the-field-at-fault",
    [246],
    (target) => firstForm(target),
    async (form, target) => {
      const right = fillIn(form, form.lane);
      for (const { name } of form.fields) {
        const answer = await send(target, form.url, JSON.stringify({ ...right, [name]: "" }));
        const found = formError.safeParse(answer.json).data;
        // A field may be optional: then leaving it empty is no fault.
        if (found !== undefined && found.field !== name)
          differ(answer, `field ${name}, which was left empty`, show(found.field));
      }
    },
  ),
  row("form.gives-the-next-step", [160, 162], answersTo("form"), (seen) => {
    const answers = seen.map(({ answer }) => answer).filter((answer) => answer !== null);
    const taken = answers.filter((answer) => !formError.safeParse(answer.json).success);
    if (taken.length === 0) notApplicable("every form wants a value that the suite does not know");
    for (const answer of taken) expectStep(answer, "a step after a form, with a url where one is needed");
  }),
  row(
    "form.can-be-corrected",
    [162],
    (target) => firstForm(target, true),
    async (form, target) => {
      const [wrong, right] = [fillIn(form, form.lane, 0), fillIn(form, form.lane, 1)];
      const changed = Object.keys(right).find((name) => right[name] !== wrong[name]);
      if (changed === undefined) notApplicable("the form asks for no wallet");
      await send(target, form.url, JSON.stringify(wrong));
      const answer = await send(target, form.url, JSON.stringify(right));
      // To refuse is one way to be safe; to go on means to go on with what was sent last.
      if (formError.safeParse(answer.json).success) return;
      const pages = (await follow(target, answer.json, form.lane, 1)).filter(
        (visit) => visit.answer !== null,
      );
      const old = String(wrong[changed]);
      const stale = pages.find((visit) => visit.answer?.text.includes(old));
      if (stale?.answer) differ(stale.answer, `the corrected ${changed}`, old);
    },
  ),
  row("form.fields", [149, 150, 151, 152, 153], allSteps, (seen) => {
    const items = seen.items.filter(({ type }) => type === "form");
    fields({ data: z.array(fieldDescriptor).min(1) }, "field descriptors")({ ...seen, items });
  }),
  row("pick-one-has-options", [166], answersTo("pickOne"), async (seen, target) => {
    const items = seen.map((visit) => visit.step);
    const shape = { options: z.union([z.array(z.unknown()).min(1), z.looseObject({})]) };
    fields(
      shape,
      "`options` to choose from",
    )({ answer: (await allSteps(target)).answer, items, at: "pickOne" });
  }),
  row("pick-one-leads-to-a-step", [166], answersTo("pickOne"), async (seen, target) => {
    const wrong = seen.find((visit) => optionOf(visit.step) === undefined);
    if (wrong !== undefined)
      differ(
        (await allSteps(target)).answer,
        "an option that is or holds a step",
        show(wrong.step["options"]),
      );
  }),
  row("file-gives-the-next-step", [167], answersTo("file"), (seen) => {
    for (const { answer } of seen) if (answer !== null) expectStep(answer, "a step after a file");
  }),
  row("iframe-page-opens", [164], answersTo("iframe"), pageOpens),
  row("redirect-page-opens", [165], answersTo("redirect"), pageOpens),
  row("bank-transfer-ends-the-flow", [169], answersTo("requestBankTransaction"), async (seen, target) => {
    const wrong = seen.find((visit) => member(visit.step, "nextStep") !== undefined);
    if (wrong !== undefined)
      differ((await allSteps(target)).answer, "no step after a bank transfer", show(wrong.step));
  }),
  row("lead-to-an-end", [161], visits, async (seen, target) => {
    const ends = seen.filter(({ step: one }, index) => lastTypes.has(one.type) || index === seen.length - 1);
    const lost = ends.find(({ step: one }) => !lastTypes.has(one.type));
    const starts = seen.filter(({ step: one }) => one.type === "form").length;
    if (starts === 0) notApplicable("no purchase could be started");
    if (lost !== undefined)
      differ(
        lost.answer ?? (await allSteps(target)).answer,
        "a way to a page, a bank or the end",
        `stuck at ${lost.step.type}`,
      );
  }),
]);

async function sent(target: Target, body: string): Promise<Answer> {
  const { url } = await firstForm(target);
  return target.once(`form ${body}`, () => send(target, url, body));
}

function isFormError(answer: Answer): void {
  if (!formError.safeParse(answer.json).success) differ(answer, "`{message, field}`", describe(answer));
}

function expectStep(answer: Answer, expected: string): void {
  if (!isSuccess(answer) || !step.safeParse(answer.json).success) differ(answer, expected, describe(answer));
}

function pageOpens(seen: readonly Visit[]): void {
  for (const { answer } of seen)
    if (answer !== null && (!isSuccess(answer) || !/html/.test(answer.contentType)))
      differ(answer, "a page to present", describe(answer));
}

function isBelow(base: URL, url: URL): boolean {
  return url.origin === base.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, "")}/`);
}
