import { may, type Visitor } from "../deps.ts";
import { Tabs } from "../parts/tabs.tsx";
import { TitleRow } from "../parts/blocks.tsx";

const tabs = [
  { path: "/settings", title: "View", isSeen: () => true },
  {
    path: "/settings/start",
    title: "Getting started",
    isSeen: (visitor: Visitor) => may(visitor, "transactions:read"),
  },
  {
    path: "/settings/views",
    title: "Saved views",
    isSeen: (visitor: Visitor) => may(visitor, "reconcile:read"),
  },
  {
    path: "/settings/providers",
    title: "Providers",
    isSeen: (visitor: Visitor) => may(visitor, "reconcile:read"),
  },
  {
    path: "/settings/profiles",
    title: "Profiles",
    isSeen: (visitor: Visitor) => may(visitor, "reconcile:read"),
  },
  { path: "/settings/keys", title: "API keys", isSeen: (visitor: Visitor) => may(visitor, "keys:write") },
  {
    path: "/settings/webhooks",
    title: "Webhooks",
    isSeen: (visitor: Visitor) => may(visitor, "settings:write"),
  },
  {
    path: "/settings/alerts",
    title: "Alerts",
    isSeen: (visitor: Visitor) => may(visitor, "settings:write"),
  },
  {
    path: "/settings/erasures",
    title: "Erasures",
    isSeen: (visitor: Visitor) => may(visitor, "reconcile:read"),
  },
  {
    path: "/settings/audit",
    title: "Audit trail",
    // The log belongs to the whole service.
    isSeen: (visitor: Visitor) => may(visitor, "audit:read") && visitor.caller.accountIds === null,
  },
] as const;

export function SettingsHead({ visitor, at }: { visitor: Visitor; at: (typeof tabs)[number]["path"] }) {
  const seen = tabs.filter(({ isSeen }) => isSeen(visitor));
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
