import { listViews } from "../../store/people/saved-views.ts";
import { addPage } from "../add-page.tsx";
import { may, type Web } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, FormToken } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Given } from "../parts/show.tsx";
import { SettingsHead } from "./tabs.tsx";

export function addSavedViews(web: Web): void {
  addPage(web, "/settings/views", ["reconcile:read"], async (c, visitor) => {
    const views = await listViews(visitor.reader, null);
    const canRemove = may(visitor, "reconcile:write");
    return show(web, c, visitor, {
      title: "Saved views",
      under: "/settings",
      children: (
        <>
          <SettingsHead visitor={visitor} at="/settings/views" />
          {views.length === 0 ? (
            <Empty title="No saved views yet">
              Choose filters on <a href="/discrepancies">Discrepancies</a>, and save them under Views.
            </Empty>
          ) : (
            <ListTable
              label="Saved views"
              caption="Named filters, for everyone who may see the same accounts."
              rows={views}
              columns={[
                {
                  title: "View",
                  rowName: (view) => <a href={`${view.screen}?${view.query}`}>{view.name}</a>,
                },
                { title: "Screen", show: (view) => view.screen },
                { title: "Filters", show: (view) => <Given text={view.query} mono /> },
                { title: "Saved by", show: (view) => <Given text={view.savedByName} /> },
                {
                  title: "Remove",
                  show: (view) =>
                    canRemove && (
                      <form method="post" action="/views/remove">
                        <FormToken csrf={visitor.csrf} />
                        <input type="hidden" name="id" value={String(view.id)} />
                        <input type="hidden" name="back" value="/settings/views" />
                        <Button kind="danger" aria-label={`Remove ${view.name}`}>
                          Remove
                        </Button>
                      </form>
                    ),
                },
              ]}
            />
          )}
        </>
      ),
    });
  });
}
