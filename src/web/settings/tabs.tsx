import { may, type Visitor } from "../deps.ts";
import { Tabs } from "../parts/tabs.tsx";
import { TitleRow } from "../parts/blocks.tsx";

const tabs = [
  { path: "/settings", title: "View" },
  { path: "/settings/start", title: "Getting started", needs: "transactions:read" },
  { path: "/settings/views", title: "Saved views", needs: "reconcile:read" },
  { path: "/settings/providers", title: "Providers", needs: "reconcile:read" },
  { path: "/settings/profiles", title: "Profiles", needs: "reconcile:read" },
  { path: "/settings/keys", title: "API keys", needs: "keys:write" },
  { path: "/settings/webhooks", title: "Webhooks", needs: "settings:write" },
  { path: "/settings/alerts", title: "Alerts", needs: "settings:write" },
  { path: "/settings/erasures", title: "Erasures", needs: "reconcile:read" },
  // The log belongs to the whole service.
  { path: "/settings/audit", title: "Audit trail", needs: "audit:read", allAccounts: true },
] as const;

export function SettingsHead({ visitor, at }: { visitor: Visitor; at: (typeof tabs)[number]["path"] }) {
  const seen = tabs.filter(
    (tab) =>
      (!("needs" in tab) || may(visitor, tab.needs)) &&
      (!("allAccounts" in tab) || visitor.caller.accountIds === null),
  );
  return (
    <>
      <TitleRow title="Settings" />
      <Tabs
        label="Settings"
        tabs={seen.map(({ path, title }) => ({ title, href: path, isCurrent: path === at }))}
      />
    </>
  );
}
