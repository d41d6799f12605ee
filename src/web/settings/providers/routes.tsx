import { routeKey } from "../../../access/access.ts";
import { ProblemError, problem } from "../../../api/problem.ts";
import type { Scope } from "../../../core/scopes.ts";
import { addAction, addPage } from "../../add-page.tsx";
import { askApi, askTagged } from "../../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../../deps.ts";
import { textOf } from "../../form-text.ts";
import { leaveNotice } from "../../notice.ts";
import { providerPattern, settingsPath, showProviders } from "./list.tsx";
import type { PreviewOutcome, ShownPreview } from "./preview.tsx";
import { changedSections, type ShownSettings, type Texts, textsFrom, textsIn } from "./read-sections.ts";
import { type ProviderScreen, showProvider } from "./screen.tsx";

/** What is set per provider: anyone who reads the books sees it; the API decides who may change it. */
export function addProviders(web: Web): void {
  const scopes = scopesToSave(web);
  addPage(web, "/settings/providers", ["reconcile:read"], (c, visitor) => showProviders(web, c, visitor));
  addPage(web, "/settings/providers/:provider", ["reconcile:read"], async (c, visitor) => {
    const account = new URL(c.req.url).searchParams.get("account") ?? "";
    const held = await readSettings(web, c, visitor, { provider: c.req.param("provider") ?? "", account });
    const form = { texts: textsFrom(held.settings), errors: [] };
    return showProvider(web, c, visitor, { ...held, form, mayChange: mayAll(visitor, scopes) });
  });

  addAction(web, "/settings/providers/preview", scopes, async (c, visitor, sent) => {
    const work = await readWork(web, c, visitor, sent);
    const screen = work.refused ?? (await preview(web, c, visitor, work));
    return showProvider(web, c, visitor, { ...work.screen, ...screen });
  });

  addAction(web, "/settings/providers/save", scopes, async (c, visitor, sent) => {
    const work = await readWork(web, c, visitor, sent);
    const refused = work.refused ?? (await save(web, c, visitor, work));
    if (refused !== null) return showProvider(web, c, visitor, { ...work.screen, ...refused });
    const { provider, account } = work.screen.settings;
    leaveNotice(c, `The settings of ${provider} are saved. The next run uses them.`);
    return c.redirect(settingsPath({ provider, account }), 303);
  });
}

/** The API's own route decides, so that a form and a program are let in alike. */
function scopesToSave(web: Web): readonly Scope[] {
  const access = web.api.access.get(routeKey("PATCH", "/v1/providers/:provider/settings"));
  if (access === undefined) throw new TypeError("the page stands on the routes of the API");
  return access.scopes;
}

function mayAll(visitor: Visitor, scopes: readonly Scope[]): boolean {
  return scopes.every((scope) => may(visitor, scope));
}

interface Work {
  screen: ProviderScreen;
  address: { path: string; query: URLSearchParams };
  sections: Readonly<Record<string, unknown>>;
  texts: Texts;
  /** Why nothing is asked of the API at all. */
  refused: Partial<ProviderScreen> | null;
}

async function readWork(web: Web, c: WebContext, visitor: Visitor, sent: FormData): Promise<Work> {
  const [provider, account] = [textOf(sent, "provider"), textOf(sent, "account")];
  const { settings } = await readSettings(web, c, visitor, { provider, account });
  const texts = textsIn(sent);
  const { sections, errors } = changedSections(texts, settings);
  const isUnchanged = errors.length === 0 && Object.keys(sections).length === 0;
  if (isUnchanged) errors.push({ path: "", code: "unchanged", message: "Nothing is changed yet." });
  const seen = /^"[\w-]{1,60}"$/.exec(textOf(sent, "seen"))?.[0] ?? "";
  return {
    screen: { settings, seen, form: { texts, errors: [] }, mayChange: true },
    address: addressOf({ provider, account }),
    sections,
    texts,
    refused: errors.length === 0 ? null : { form: { texts, errors } },
  };
}

async function preview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { address: { path, query }, sections, texts }: Work,
): Promise<Partial<ProviderScreen>> {
  const json = { ...sections, reason: texts["reason"] || "preview" };
  try {
    const found = await askApi<ShownPreview>(web, c, visitor, `${path}/preview`, { query, json });
    return { outcome: { kind: "found", found } };
  } catch (error) {
    const slow = tooSlow(error);
    return slow === null ? refusedBy(error, texts) : { outcome: slow };
  }
}

async function save(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { address: { path, query }, sections, texts, screen }: Work,
): Promise<Partial<ProviderScreen> | null> {
  try {
    await askApi(web, c, visitor, path, {
      method: "PATCH",
      query,
      json: { ...sections, reason: texts["reason"] ?? "" },
      headers: { "if-match": screen.seen },
    });
    return null;
  } catch (error) {
    return refusedBy(error, texts);
  }
}

/** What can be mended in the form is shown in it; everything else is a failure. */
function refusedBy(error: unknown, texts: Texts): Partial<ProviderScreen> {
  if (!(error instanceof ProblemError)) throw error;
  const { status, code, detail, errors } = error.problem;
  if (![400, 412, 422, 428].includes(status)) throw error;
  const said = status === 412 || status === 428 ? changedMeanwhile : detail;
  return { form: { texts, errors: errors ?? [{ path: "", code, message: said }] } };
}

const changedMeanwhile =
  "Someone else has saved settings for this provider. Open them in another window, look at what changed, and decide.";

function tooSlow(error: unknown): PreviewOutcome | null {
  if (!(error instanceof ProblemError) || error.problem.code !== "query_too_slow") return null;
  return { kind: "too_slow", detail: error.message };
}

async function readSettings(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  subject: { provider: string; account: string },
): Promise<{ settings: ShownSettings; seen: string }> {
  if (!providerPattern.test(subject.provider)) throw problem("not_found", "There is no such provider.");
  const { path, query } = addressOf(subject);
  const { answer, tag } = await askTagged(web, c, visitor, path, { query });
  return { settings: answer as ShownSettings, seen: tag };
}

function addressOf({ provider, account }: { provider: string; account: string }) {
  const query = new URLSearchParams(account === "" ? {} : { account });
  return { path: `/v1/providers/${provider}/settings`, query };
}
