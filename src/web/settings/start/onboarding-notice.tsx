import type { Onboarding } from "../../../store/accounts/onboarding.ts";
import { stepsOf } from "./steps.ts";

/** Where a new service stands, and what comes next; nothing once every step is done. */
export function OnboardingNotice({ found }: { found: Onboarding }) {
  const steps = stepsOf(found);
  const next = steps.find(({ isDone }) => !isDone);
  if (next === undefined) return null;
  return (
    <p class="onboarding">
      Getting started: {steps.filter(({ isDone }) => isDone).length} of {steps.length} steps done. Next:{" "}
      <a href={next.href.startsWith("#") ? "/settings/start" : next.href}>{next.name}</a>.{" "}
      <a href="/settings/start">All steps</a>
    </p>
  );
}
