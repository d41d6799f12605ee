import type { Visitor, Web, WebContext } from "../../deps.ts";
import { show } from "../../layout.tsx";
import { FormToken, Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { type CheckedForm, ErrorSummary, TextField } from "../../parts/checked-field.tsx";
import { Given } from "../../parts/show.tsx";
import { SettingsHead } from "../tabs.tsx";
import { type PreviewOutcome, SettingsOutcome } from "./preview.tsx";
import type { ShownSettings } from "./read-sections.ts";
import { Sections } from "./sections.tsx";

export interface ProviderScreen {
  settings: ShownSettings;
  /** The version that the form was made from, as the API tagged it. */
  seen: string;
  form: CheckedForm;
  mayChange: boolean;
  outcome?: PreviewOutcome;
}

const formId = "provider-form";

/** Everything that is set for one provider, in one form: previewed first, then saved with a reason. */
export function showProvider(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { settings, seen, form, mayChange, outcome }: ProviderScreen,
): Promise<Response> {
  const { account, provider } = settings;
  return show(web, c, visitor, {
    title: `Settings of ${provider}`,
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/providers" />
        <div id="provider-settings">
          <Panel
            title={`Settings of ${provider}`}
            id="provider"
            aside={
              <>
                account <Given text={account} /> · <a href="/settings/providers">All providers</a>
              </>
            }
          >
            <ErrorSummary of={form} title="Nothing was saved. Please correct:" />
            {!mayChange && (
              <div class="sections">
                <Sections settings={settings} form={{ ...form, readOnly: true }} visitor={visitor} />
              </div>
            )}
            {mayChange && (
              <form method="post" action="/settings/providers/preview" id={formId} class="sections">
                <FormToken csrf={visitor.csrf} />
                <input type="hidden" name="account" value={account} />
                <input type="hidden" name="provider" value={provider} />
                <input type="hidden" name="seen" value={seen} />
                <Sections settings={settings} form={{ ...form, readOnly: false }} visitor={visitor} />
                <div class="filter-row">
                  <TextField
                    of={form}
                    name="reason"
                    label="Reason, kept with the change"
                    maxlength={500}
                    class="grow"
                  />
                  <Button
                    kind={outcome === undefined ? "primary" : "secondary"}
                    data-key="p"
                    hx-post="/settings/providers/preview"
                    hx-target="#provider-settings"
                    hx-select="#provider-settings"
                    hx-select-oob="#notice"
                    hx-swap="outerHTML"
                    hx-indicator="#reckoning"
                  >
                    Preview
                  </Button>
                  <span id="reckoning" class="htmx-indicator" role="status">
                    Trying these settings …
                  </span>
                </div>
              </form>
            )}
          </Panel>
          {outcome !== undefined && <SettingsOutcome outcome={outcome} form={formId} />}
        </div>
      </>
    ),
  });
}
