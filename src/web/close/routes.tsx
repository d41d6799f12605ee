import type { PresentedCarry } from "../../api/periods/action-schema.ts";
import type { PresentedPeriod } from "../../api/periods/schema.ts";
import { counted } from "../../core/counted.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi, fetchFile } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { showBoard } from "./board.tsx";
import { forgetDetail } from "./kept-detail.ts";
import { showMonth } from "./one.tsx";
import { periodPath } from "./parts.tsx";

export function addClose(web: Web): void {
  addPage(web, "/close", ["reconcile:read"], (c, visitor) => showBoard(web, c, visitor));
  addPage(web, "/close/:month", ["reconcile:read"], (c, visitor) => showMonth(web, c, visitor));
  addPage(web, "/close/:month/pack", ["reconcile:read", "exports:write"], (c, visitor) => {
    const query = new URLSearchParams({ account: c.req.query("account") ?? "" });
    const sha256 = c.req.query("pack_sha256");
    if (sha256 !== undefined) query.set("pack_sha256", sha256);
    const path = `/v1/periods/${encodeURIComponent(c.req.param("month") ?? "")}/pack`;
    return fetchFile(web, c, visitor, path, { query });
  });

  addAction(web, "/close/prepare", ["reconcile:write"], (c, visitor, form) => {
    const given = [...form.keys()].filter((name) => name.startsWith("accept."));
    const accepted = given
      .map((name) => ({ line: name.slice("accept.".length), reason: textOf(form, name).trim() }))
      .filter(({ reason }) => reason !== "");
    return act(web, c, visitor, form, {
      action: "prepare",
      json: { accepted },
      said: ({ month }) => `${month} is prepared. Another person must approve it.`,
    });
  });
  addAction(web, "/close/approve", ["approvals:write"], (c, visitor, form) =>
    act(web, c, visitor, form, {
      action: "approve",
      json: { pack_sha256: textOf(form, "pack_sha256") },
      said: ({ month }) => `${month} is closed.`,
    }),
  );
  addAction(web, "/close/reopen", ["approvals:write"], (c, visitor, form) =>
    act<PresentedPeriod>(web, c, visitor, form, {
      action: "reopen",
      json: { reason: textOf(form, "reason") },
      said: ({ month }, { state }) =>
        state === "reopened"
          ? `${month} is reopened.`
          : `You asked to reopen ${month}. Another person must agree.`,
    }),
  );
  addAction(web, "/close/carry", ["reconcile:write"], (c, visitor, form) => {
    const provider = textOf(form, "provider");
    const wanted = { owner: textOf(form, "owner"), reason: textOf(form, "reason") };
    return act<PresentedCarry>(web, c, visitor, form, {
      action: "carry",
      json: { ...wanted, ...(provider === "" ? {} : { provider }) },
      said: ({ month }, { carried, owner }) =>
        `${counted(carried, "open error")} of ${month} carried forward, and assigned to ${owner}.`,
    });
  });
}

interface MonthAction<Answer> {
  action: "prepare" | "approve" | "reopen" | "carry";
  json: object;
  /** The notice shown afterwards. */
  said: (period: { month: string }, answer: Answer) => string;
}

/** The API does it, and refuses it, the same way as for a program. */
async function act<Answer = unknown>(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  form: FormData,
  { action, json, said }: MonthAction<Answer>,
): Promise<Response> {
  const period = { month: textOf(form, "month"), account: textOf(form, "account") };
  const path = `/v1/periods/${encodeURIComponent(period.month)}/${action}`;
  const query = new URLSearchParams({ account: period.account });
  const answer = await askApi<Answer>(web, c, visitor, path, { query, json });
  forgetDetail(web, period);
  leaveNotice(c, said(period, answer));
  return c.redirect(periodPath(period), 303);
}
