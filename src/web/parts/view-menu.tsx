import type { Visitor } from "../deps.ts";
import { FormToken } from "./blocks.tsx";

/** Time zone, theme, shortcuts; who is signed in, and the way out. Every button is a form of its own, so that it works without a script. */
export function ViewMenu({ visitor, back }: { visitor: Visitor; back: string }) {
  const { theme, zone, shortcuts } = visitor.preferences;
  return (
    <div class="tools">
      <form class="segments" method="post" action="/preferences" aria-label="Time zone">
        <FormToken csrf={visitor.csrf} />
        <input type="hidden" name="back" value={back} />
        <button name="zone" value="UTC" aria-pressed={zone === "UTC" ? "true" : "false"}>
          UTC
        </button>
        {zone === "UTC" ? (
          <button name="zone" value="" aria-pressed="false" data-local-zone hidden>
            Local
          </button>
        ) : (
          <button name="zone" value={zone} aria-pressed="true">
            {zone.split("/").at(-1)?.replaceAll("_", " ")}
          </button>
        )}
      </form>
      <details class="menu">
        <summary>View ▾</summary>
        <div class="menu-body">
          <form method="post" action="/preferences">
            <FormToken csrf={visitor.csrf} />
            <input type="hidden" name="back" value={back} />
            <fieldset class="segments">
              <legend>Theme</legend>
              {(["system", "light", "dark"] as const).map((name) => (
                <button name="theme" value={name} aria-pressed={theme === name ? "true" : "false"}>
                  {name}
                </button>
              ))}
            </fieldset>
            <fieldset class="segments">
              <legend>Keyboard shortcuts</legend>
              {(["on", "off"] as const).map((name) => (
                <button name="shortcuts" value={name} aria-pressed={shortcuts === name ? "true" : "false"}>
                  {name}
                </button>
              ))}
            </fieldset>
          </form>
        </div>
      </details>
      <details class="menu">
        <summary>
          <bdi>{visitor.name}</bdi> ▾
        </summary>
        <div class="menu-body">
          <p class="muted">
            <bdi>{visitor.name}</bdi>
            <br />
            {visitor.email}
            <br />
            {visitor.roles.join(", ")}
          </p>
          <p>
            <a href="/settings">Settings</a> · <a href="/passkeys">Passkeys</a>
          </p>
          <form method="post" action="/sign-out">
            <FormToken csrf={visitor.csrf} />
            <button class="wide">Sign out</button>
          </form>
          <form method="post" action="/sign-out/everywhere">
            <FormToken csrf={visitor.csrf} />
            <button class="wide secondary">End all my sessions</button>
          </form>
        </div>
      </details>
    </div>
  );
}
