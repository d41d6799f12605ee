import type { Api } from "../api/deps.ts";
import { problem } from "../api/problem.ts";
import { createRateLimits } from "../api/rate-limit.ts";
import { createMemory } from "../core/remember.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { addOpenPage, showFailure } from "./add-page.tsx";
import { loadAssets } from "./asset-files.ts";
import type { Web, WebDeps } from "./deps.ts";
import { createKeptFigures } from "./kept-figures.ts";
import { totalsKeepMs } from "./fresh-totals.ts";
import { addClose } from "./close/routes.tsx";
import { addDiscrepancies } from "./discrepancies/routes.tsx";
import { addExecution } from "./execution/routes.tsx";
import { addExports } from "./exports/routes.tsx";
import { addFind } from "./find.tsx";
import { addFees } from "./fees/routes.tsx";
import { addOverview } from "./overview/routes.tsx";
import { addPasskeys } from "./passkeys/routes.tsx";
import { addPayouts } from "./payouts/routes.tsx";
import { addReceipts } from "./receipts/routes.tsx";
import { addReports } from "./reports/routes.tsx";
import { addAudit } from "./settings/audit.tsx";
import { addErasures } from "./settings/erasures.tsx";
import { addKeys } from "./settings/keys.tsx";
import { addSettings } from "./settings/preferences.tsx";
import { addProfiles } from "./settings/profiles/routes.tsx";
import { addProviders } from "./settings/providers/routes.tsx";
import { addSavedViews } from "./settings/saved-views.tsx";
import { addStart } from "./settings/start/routes.tsx";
import { addApprovals } from "./approvals/routes.tsx";
import { addPeople } from "./people/routes.tsx";
import { addSignIn } from "./sign-in/routes.tsx";
import { addStatements } from "./statements/routes.tsx";
import { addSync } from "./sync/routes.tsx";
import { addAlerts } from "./alerts/routes.tsx";
import { addWebhooks } from "./webhooks/routes.tsx";
import { addTransactions } from "./transactions/routes.tsx";
import { addViews } from "./views.tsx";

/** Every screen is a handful of requests; a script that tries something is a flood. */
const requestsPerMinute = 600;

/** The page, as an extension of the API: `createApp({ …, extensions: [webRoutes(deps)] })`. */
export function webRoutes(deps: WebDeps): (api: Api) => void {
  return (api) => {
    const { now } = api.deps;
    const web: Web = {
      api,
      app: api.app,
      deps,
      assets: loadAssets(),
      limits: createRateLimits(now, {
        default: { quota: requestsPerMinute, windowSeconds: MINUTE / SECOND },
      }),
      choices: createMemory({ now, keepMs: MINUTE }),
      totals: createMemory({ now, keepMs: totalsKeepMs }),
      figures: createKeptFigures({ now, log: api.deps.log }),
    };
    api.failurePage = (c, error) => showFailure(web, c, error);
    addAssets(web);
    addSignIn(web);
    addSettings(web);
    addPasskeys(web);
    addKeys(web);
    addAudit(web);
    addErasures(web);
    addSavedViews(web);
    addProviders(web);
    addProfiles(web);
    addStart(web);
    addOverview(web);
    addTransactions(web);
    addDiscrepancies(web);
    addPayouts(web);
    addStatements(web);
    addReceipts(web);
    addExecution(web);
    addClose(web);
    addFees(web);
    addReports(web);
    addExports(web);
    addViews(web);
    addFind(web);
    addSync(web);
    addPeople(web);
    addWebhooks(web);
    addAlerts(web);
    addApprovals(web);
  };
}

function addAssets(web: Web): void {
  addOpenPage(web, "/assets/:file", (c) => {
    const file = web.assets.find(c.req.param("file") ?? "");
    if (file === null) throw problem("not_found", "There is no such file. Load the page again.");
    const zipped = c.req.header("accept-encoding")?.includes("gzip") ?? false;
    return c.body(zipped ? file.gzipped : file.body, 200, {
      "content-type": file.contentType,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    });
  });
}
