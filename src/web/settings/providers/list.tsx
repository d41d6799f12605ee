import { listProvidersInUse, type ProviderInUse } from "../../../store/statements/provider-settings.ts";
import type { Visitor, Web, WebContext } from "../../deps.ts";
import { show } from "../../layout.tsx";
import { Empty, Panel } from "../../parts/blocks.tsx";
import { codeWords } from "../../parts/discrepancy.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Given, GivenLink, Time } from "../../parts/show.tsx";
import { SettingsHead } from "../tabs.tsx";

/** As the API takes it; what a sender calls itself otherwise can be shown, and not set. */
export const providerPattern = /^[a-z0-9_.-]{1,60}$/;

export async function showProviders(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const rows = await listProvidersInUse(visitor.reader);
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: "Providers",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/providers" />
        <Panel title="Providers" id="providers">
          {rows.length === 0 ? (
            <Empty title="No providers yet">
              They come with the first transactions, or with the first statement.
            </Empty>
          ) : (
            <ListTable
              label="Providers"
              caption={`When each provider settles, and its tolerances. Times in ${zone}.`}
              rows={rows}
              data-rows
              columns={[
                { title: "Provider", rowName: (row) => <ProviderName of={row} /> },
                { title: "Account", show: ({ account }) => <Given text={account} /> },
                {
                  title: "Set",
                  show: ({ kinds }) =>
                    kinds.length === 0 ? "the defaults" : kinds.map(codeWords).join(", "),
                },
                { title: "Last saved", show: ({ savedAt }) => <Time at={savedAt} zone={zone} /> },
              ]}
            />
          )}
        </Panel>
      </>
    ),
  });
}

function ProviderName({ of: { provider, account } }: { of: ProviderInUse }) {
  if (!providerPattern.test(provider)) return <Given text={provider} />;
  return <GivenLink href={settingsPath({ provider, account })} text={provider} />;
}

export function settingsPath({ provider, account }: { provider: string; account: string }): string {
  return `/settings/providers/${encodeURIComponent(provider)}?${new URLSearchParams({ account }).toString()}`;
}
