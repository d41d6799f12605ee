import { zoneNames } from "../../core/zone.ts";
import { addAction, addPage } from "../add-page.tsx";
import { readOnboarding } from "../../store/accounts/onboarding.ts";
import { may, type Web } from "../deps.ts";
import { show } from "../layout.tsx";
import { FormToken, Panel } from "../parts/blocks.tsx";
import { choose, keepPreferences } from "../preferences.ts";
import { localPath } from "../address.ts";
import { OnboardingNotice } from "./start/onboarding-notice.tsx";
import { SettingsHead } from "./tabs.tsx";

export function addSettings(web: Web): void {
  addPage(web, "/settings", [], async (c, visitor) => {
    const found = may(visitor, "transactions:read")
      ? await readOnboarding(visitor.reader, web.api.deps.now())
      : null;
    return show(web, c, visitor, {
      title: "Settings",
      under: "/settings",
      children: (
        <>
          <SettingsHead visitor={visitor} at="/settings" />
          {found !== null && <OnboardingNotice found={found} />}
          <Panel title="Time zone" id="zone-title">
            <p>
              Times on every screen, and days in filters, are in this zone. Times are stored in UTC; hover
              over a time for the exact UTC value.
            </p>
            <form method="post" action="/preferences" class="row-form">
              <FormToken csrf={visitor.csrf} />
              <input type="hidden" name="back" value="/overview" />
              <label>
                <span>Zone</span>
                <select name="zone">
                  {zoneNames().map((zone) => (
                    <option value={zone} selected={zone === visitor.preferences.zone}>
                      {zone}
                    </option>
                  ))}
                </select>
              </label>
              <button type="submit">Use this zone</button>
            </form>
          </Panel>
        </>
      ),
    });
  });

  addAction(web, "/preferences", [], (c, visitor, form) => {
    const wanted = new URLSearchParams();
    for (const [name, value] of form) if (typeof value === "string") wanted.append(name, value);
    keepPreferences(c, choose(visitor.preferences, wanted));
    return c.redirect(localPath(wanted.get("back") ?? undefined), 303);
  });
}
