import { problem } from "../../api/problem.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { onceHeader } from "../parts/once.tsx";
import { showWebhooks, type WebhookShown } from "./screen.tsx";

const scopes = ["settings:write"] as const;
const place = "/settings/webhooks";

export function addWebhooks(web: Web): void {
  addPage(web, place, scopes, (c, visitor) => showWebhooks(web, c, visitor, null));

  // The secret is on the page that answers, and nowhere else.
  addAction(web, `${place}/create`, scopes, async (c, visitor, form) => {
    const events = form.getAll("events").filter((value) => typeof value === "string");
    const account = textOf(form, "account");
    const made = await askApi<WebhookAnswer>(web, c, visitor, "/v1/webhooks", {
      headers: onceHeader(form),
      json: {
        url: textOf(form, "url"),
        description: textOf(form, "description"),
        events: events.length === 0 ? ["*"] : events,
        ...(account === "" ? {} : { accounts: [account] }),
      },
    });
    return showSecret(web, c, visitor, made);
  });

  addAction(web, `${place}/rotate`, scopes, async (c, visitor, form) => {
    const path = `/v1/webhooks/${idIn(form)}/rotate`;
    const rotated = await askApi<WebhookAnswer>(web, c, visitor, path, {
      headers: onceHeader(form),
      json: {},
    });
    return showSecret(web, c, visitor, rotated);
  });

  addAction(web, `${place}/test`, scopes, async (c, visitor, form) => {
    await askApi(web, c, visitor, `/v1/webhooks/${idIn(form)}/test`, { json: {} });
    return back(c, form, "A test event is on its way. Load the page again to see how it went.");
  });

  addAction(web, `${place}/replay`, scopes, async (c, visitor, form) => {
    const path = `/v1/webhooks/${idIn(form)}/replay`;
    const event = textOf(form, "event");
    const { events } = await askApi<{ events: number }>(web, c, visitor, path, {
      json: event === "" ? {} : { events: [event], all: true },
    });
    return back(c, form, `Sent again: ${events} ${events === 1 ? "event" : "events"}.`);
  });

  addAction(web, `${place}/state`, scopes, async (c, visitor, form) => {
    const state = textOf(form, "state");
    const version = textOf(form, "version");
    // It becomes a header, which not every text may.
    if (!/^\d{1,9}$/.test(version))
      throw problem("invalid_parameter", "The form does not say which version you saw. Load the page again.");
    await askApi(web, c, visitor, `/v1/webhooks/${idIn(form)}`, {
      method: "PATCH",
      json: { state },
      headers: { "if-match": `"${version}-0"` },
    });
    return back(c, form, state === "enabled" ? "Enabled. What it missed can be replayed." : "Disabled.");
  });

  addAction(web, `${place}/remove`, scopes, async (c, visitor, form) => {
    await removeOne(web, c, visitor, idIn(form));
    leaveNotice(c, "The webhook is removed.");
    return c.redirect(place, 303);
  });
}

/** `null`: the form was sent again, and its secret was shown when it came first. */
type WebhookAnswer = WebhookShown & { secret: string | null };

function showSecret(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { secret, ...made }: WebhookAnswer,
): Response | Promise<Response> {
  if (secret !== null) return showWebhooks(web, c, visitor, { ...made, secret });
  leaveNotice(c, "This was done before. The secret was shown only once; rotate it to get another.");
  return c.redirect(`${place}?id=${encodeURIComponent(made.id)}`, 303);
}

async function removeOne(web: Web, c: WebContext, visitor: Visitor, id: string): Promise<void> {
  await askApi(web, c, visitor, `/v1/webhooks/${id}`, { method: "DELETE" });
}

function idIn(form: FormData): string {
  return encodeURIComponent(textOf(form, "id"));
}

function back(c: WebContext, form: FormData, notice: string): Response {
  leaveNotice(c, notice);
  return c.redirect(`${place}?id=${idIn(form)}`, 303);
}
