import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";

/**
 * A month with its checklist. A signed one is only looked up; an open one is worked out from everything that is known, so
 * screens that show several months show what they last were. `null`: still being worked out.
 */
export function keptDetail(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  period: PresentedPeriod,
  options: { waitMs: number; freshOnly?: boolean },
): Promise<PresentedPeriodDetail | null> {
  const read = () => readDetail(web, c, visitor, period);
  const isSigned = period.state === "prepared" || period.state === "closed";
  return isSigned ? read() : web.figures.get(keyOf(period), read, { ...options, inLine: true });
}

/** For a month that has just been changed. */
export function forgetDetail(web: Web, period: Pick<PresentedPeriod, "account" | "month">): void {
  web.figures.forget(keyOf(period));
}

function keyOf({ account, month }: Pick<PresentedPeriod, "account" | "month">): string {
  return `checklist ${account} ${month}`;
}

function readDetail(web: Web, c: WebContext, visitor: Visitor, { account, month }: PresentedPeriod) {
  const query = new URLSearchParams({ account });
  return askApi<PresentedPeriodDetail>(web, c, visitor, `/v1/periods/${month}`, { query });
}
