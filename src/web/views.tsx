import { problem } from "../api/problem.ts";
import { authorOf } from "../api/send-file.ts";
import { listViews, removeView, type SavedView, saveView } from "../store/people/saved-views.ts";
import { addAction } from "./add-page.tsx";
import { carriedCharsMax, localPath } from "./address.ts";
import type { Visitor, Web } from "./deps.ts";
import { textOf } from "./form-text.ts";
import { leaveNotice } from "./notice.ts";
import { Button } from "./parts/button.tsx";
import { KeptField } from "./parts/kept-fields.tsx";
import { PostForm } from "./parts/post-form.tsx";

/** Screens whose filters can be kept under a name. */
const screens = ["/discrepancies", "/transactions", "/payouts", "/statements"];

/** Filters under a name, for everyone: `reconcile:write` keeps those who only look from filling the menu. */
export function addViews(web: Web): void {
  const { database } = web.api.deps;

  addAction(web, "/views/save", ["reconcile:write"], async (c, visitor, form) => {
    const name = textOf(form, "name").slice(0, 80);
    const screen = screens.find((path) => path === textOf(form, "screen"));
    if (name === "") throw problem("invalid_parameter", "Give the view a name.");
    if (screen === undefined) throw problem("invalid_parameter", "This screen has no saved views.");
    const query = new URLSearchParams(textOf(form, "query"));
    query.delete("cursor");
    const kept = query.toString();
    // Cut short, it would show something else under this name.
    if (kept.length > carriedCharsMax)
      throw problem("invalid_parameter", "These filters are too long to be saved: leave some of them out.");
    const view = { name, screen, query: kept };
    if (!(await saveView(database, visitor.reader, view, authorOf(c, visitor.caller)))) {
      throw problem("invalid_parameter", `This screen already has a view called “${name}”.`);
    }
    leaveNotice(c, `The view “${name}” is saved. Everyone can find it under Views.`);
    return c.redirect(localPath(textOf(form, "back")), 303);
  });

  addAction(web, "/views/remove", ["reconcile:write"], async (c, visitor, form) => {
    const id = textOf(form, "id");
    const isRemoved =
      /^\d{1,15}$/.test(id) &&
      (await removeView(database, visitor.reader, Number(id), authorOf(c, visitor.caller)));
    if (!isRemoved) throw problem("not_found", "This view does not exist, or you have no access to it.");
    leaveNotice(c, "The view is removed.");
    return c.redirect(localPath(textOf(form, "back")), 303);
  });
}

export async function viewsOf(visitor: Visitor, screen: string): Promise<SavedView[]> {
  return listViews(visitor.reader, screen);
}

interface ViewsMenuProps {
  views: readonly SavedView[];
  screen: string;
  address: URLSearchParams;
  canSave: boolean;
  visitor: Visitor;
}

/** The saved views of a screen, and the form that adds what is chosen now. */
export function ViewsMenu({ views, screen, address, canSave, visitor }: ViewsMenuProps) {
  const query = address.toString();
  return (
    <details class="menu views" open={visitor.refused?.form === "save-view"}>
      <summary>Views ▾</summary>
      <div class="menu-body">
        {views.length === 0 ? (
          <p class="muted">No saved views yet.</p>
        ) : (
          <ul class="plain-list">
            {views.map((view) => (
              <li>
                <a class="line" href={`${screen}?${view.query}`}>
                  {view.name}
                </a>
              </li>
            ))}
          </ul>
        )}
        {canSave && (
          <PostForm visitor={visitor} action="/views/save" id="save-view" back={`${screen}?${query}`}>
            <input type="hidden" name="screen" value={screen} />
            <input type="hidden" name="query" value={query} />
            <KeptField
              visitor={visitor}
              form="save-view"
              name="name"
              label="Save the current filters as"
              class="grow"
              required
              maxlength={80}
            />
            <Button kind="secondary">Save</Button>
          </PostForm>
        )}
      </div>
    </details>
  );
}
