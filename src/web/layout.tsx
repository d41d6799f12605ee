import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { AssetFiles, AssetName } from "./asset-files.ts";
import { may, type Visitor, type Web, type WebContext } from "./deps.ts";
import { FormToken } from "./parts/blocks.tsx";
import { Palette } from "./parts/palette.tsx";
import { ShortcutHelp } from "./parts/shortcut-help.tsx";
import { ViewMenu } from "./parts/view-menu.tsx";
import type { Preferences } from "./preferences.ts";
import type { Scope } from "../core/scopes.ts";

type Document = ReturnType<typeof html>;

/** The screens, in the order of a working day, and what is needed to see each: one of these. */
const screens = [
  { path: "/overview", title: "Overview", scopes: ["transactions:read"] },
  { path: "/transactions", title: "Transactions", scopes: ["transactions:read"] },
  { path: "/discrepancies", title: "Discrepancies", scopes: ["reconcile:read"] },
  { path: "/payouts", title: "Payouts", scopes: ["reconcile:read"] },
  { path: "/statements", title: "Statements", scopes: ["reconcile:read"] },
  { path: "/receipts", title: "Receipts", scopes: ["reconcile:read"] },
  { path: "/execution", title: "Execution", scopes: ["transactions:read"] },
  { path: "/close", title: "Close", scopes: ["reconcile:read"] },
  { path: "/fees", title: "Fees", scopes: ["reconcile:read"] },
  { path: "/approvals", title: "Approvals", scopes: ["reconcile:read", "people:write"] },
  { path: "/reports", title: "Reports", scopes: ["transactions:read"] },
  { path: "/sync", title: "Sync", scopes: ["transactions:read"] },
  { path: "/people", title: "People", scopes: ["people:read"] },
] as const satisfies readonly { path: string; title: string; scopes: readonly Scope[] }[];

/** For everyone: what of it someone may see, its tabs decide. */
const settings = { path: "/settings", title: "Settings" } as const;

function screensOf(visitor: Visitor): readonly { path: string; title: string }[] {
  return [...screens.filter(({ scopes }) => scopes.some((scope) => may(visitor, scope))), settings];
}

/** Where someone begins: the first screen that they may see. */
export function homeOf(visitor: Visitor): { path: string; title: string } {
  return screensOf(visitor)[0] ?? settings;
}

export interface Screen {
  title: string;
  /** Which entry of the navigation it belongs to. */
  under: (typeof screens)[number]["path"] | (typeof settings)["path"] | "/find" | null;
  children: Child;
  /** Beyond what every screen loads. */
  assets?: readonly AssetName[];
}

/** Sends a screen: the whole document, of which a partial update takes the part it needs. */
export async function show(web: Web, c: WebContext, visitor: Visitor, screen: Screen): Promise<Response> {
  if (visitor.refused === null) return sendHtml(c, screenDocument(web, c, visitor, screen));
  const children = await html`${screen.children}`;
  const { form, message } = visitor.refused;
  // Someone else may have been quicker, and the form is gone: a refusal that is not shown would pass for a success.
  const isShown = children.includes(`name="form" value="${form}"`);
  return sendHtml(c, screenDocument(web, c, visitor, { ...screen, children }, isShown ? null : message));
}

/** Tables of figures shrink to a tenth. */
export async function sendHtml(c: WebContext, document: Document): Promise<Response> {
  const text = String(await document);
  c.header("Vary", "accept-encoding");
  if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return c.html(text);
  c.header("Content-Encoding", "gzip");
  c.header("Content-Type", "text/html; charset=UTF-8");
  return c.body(new Uint8Array(await compress(text)));
}

const compress = promisify<string, Buffer>(gzip);

function screenDocument(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  screen: Screen,
  refusal: string | null = null,
): Document {
  const { pathname, search } = new URL(c.req.url);
  const { preferences, csrf } = visitor;
  const seen = screensOf(visitor);
  const assets = ["page.css", "htmx.js", "page.js", ...(screen.assets ?? [])] as AssetName[];
  return documentOf(web.assets, preferences, {
    title: screen.title,
    assets,
    body: (
      <body hx-headers={JSON.stringify({ "X-CSRF-Token": csrf })}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href={homeOf(visitor).path}>
            tieout
          </a>
          <nav aria-label="Screens">
            <ul>
              {seen.map(({ path, title }) => (
                <li>
                  <a href={path} aria-current={path === screen.under ? "page" : undefined}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {may(visitor, "transactions:read") && (
            <form class="find" role="search" action="/find" method="get">
              <input
                type="search"
                name="q"
                maxlength={200}
                required
                aria-label="Find anything by its id, hash, reference or amount"
                placeholder="Find anything (Ctrl K)"
                data-find
              />
            </form>
          )}
          <ViewMenu visitor={visitor} back={pathname + search} />
        </header>
        <div id="notice" role="status" aria-live="polite">
          {refusal !== null && (
            <div class="form-error" role="alert">
              <p>{refusal}</p>
            </div>
          )}
          <NoticeLine visitor={visitor} back={pathname + search} />
        </div>
        <main id="main" tabindex={-1}>
          {screen.children}
        </main>
        <footer class="foot">
          <span>
            Times in <strong>{preferences.zone}</strong>
          </span>
          <span>
            Signed in as <bdi>{visitor.name}</bdi> ({visitor.roles.join(", ")}
            {visitor.accounts === null ? "" : `; only ${visitor.accounts.join(", ")}`})
          </span>
          <span>
            <a href="/docs">API reference</a> · version {web.api.deps.version["version"]}
          </span>
        </footer>
        <ShortcutHelp />
        {may(visitor, "transactions:read") && <Palette screens={seen} />}
      </body>
    ),
  });
}

/** What the last action has to say, and the way back from it. */
function NoticeLine({ visitor, back }: { visitor: Visitor; back: string }) {
  const { notice, csrf } = visitor;
  if (notice === null) return null;
  return (
    <div class="notice">
      {notice.text}
      {notice.undo !== null && (
        <form method="post" action={notice.undo.action}>
          <FormToken csrf={csrf} />
          <input type="hidden" name="back" value={back} />
          {Object.entries(notice.undo.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button class="quiet" data-undo>
            Undo
          </button>
        </form>
      )}
    </div>
  );
}

/** A page without navigation: before the sign-in, and when something failed for who has no session. */
export function bareDocument(
  assets: AssetFiles,
  preferences: Preferences,
  page: { title: string; children: Child },
): Document {
  return documentOf(assets, preferences, {
    title: page.title,
    assets: ["page.css"],
    body: (
      <body class="bare">
        <header class="top">
          <a class="brand" href="/overview">
            tieout
          </a>
        </header>
        <main id="main">{page.children}</main>
      </body>
    ),
  });
}

function documentOf(
  files: AssetFiles,
  preferences: Preferences,
  page: { title: string; assets: readonly AssetName[]; body: Child },
): Document {
  const { theme, shortcuts } = preferences;
  const content = (
    <html lang="en" data-theme={theme === "system" ? undefined : theme} data-shortcuts={shortcuts}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
        <meta name="htmx-config" content={JSON.stringify(htmxConfig)} />
        <title>{page.title} · tieout</title>
        <link rel="icon" href={files.urlOf("icon.svg")} type="image/svg+xml" />
        {page.assets
          .filter((name) => name.endsWith(".css"))
          .map((name) => (
            <link rel="stylesheet" href={files.urlOf(name)} />
          ))}
        {page.assets
          .filter((name) => name.endsWith(".js"))
          .map((name) => (
            <script src={files.urlOf(name)} defer></script>
          ))}
      </head>
      {page.body}
    </html>
  );
  return html`<!doctype html>${content}`;
}

/** Nothing that a strict policy forbids, nothing from elsewhere; and a failure is shown where notices are. */
const htmxConfig = {
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  scrollIntoViewOnBoost: false,
  // A form that is not sent says why, as it would without a script: by the browser's own message, at the field.
  reportValidityOfForms: true,
  // Not `style`: the content security policy forbids it, and we never use it.
  attributesToSettle: ["class"],
  responseHandling: [
    { code: "204", swap: false },
    { code: "[23]..", swap: true },
    {
      code: "[45]..",
      swap: true,
      error: true,
      target: "#notice",
      select: "#problem",
      swapOverride: "innerHTML",
    },
  ],
};
