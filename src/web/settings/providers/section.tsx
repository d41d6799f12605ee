import type { PropsWithChildren } from "hono/jsx";
import type { Visitor } from "../../deps.ts";
import { type CheckedForm, TickField } from "../../parts/checked-field.tsx";
import { Given, Time } from "../../parts/show.tsx";
import type { SectionName, ShownSettings } from "./read-sections.ts";

export interface SectionsProps {
  settings: ShownSettings;
  form: CheckedForm;
  visitor: Visitor;
}

interface SectionProps extends SectionsProps {
  name: SectionName;
  title: string;
}

export function Section({ name, title, settings, form, visitor, children }: PropsWithChildren<SectionProps>) {
  const { version, shared } = settings[name];
  return (
    <fieldset>
      <legend>{title}</legend>
      {children}
      <p class="muted">
        <SavedBy name={name} {...{ settings, visitor }} />
        {version !== null && !shared && !form.readOnly && (
          <TickField of={form} name={`${name}.reset`} label="Go back to the defaults" />
        )}
      </p>
    </fieldset>
  );
}

/** Who said so last. */
export function SavedBy({ name, settings, visitor }: Pick<SectionProps, "name" | "settings" | "visitor">) {
  const { version, shared, saved_by_name: by, saved_at: at } = settings[name];
  if (version === null) return <>Not set: the defaults apply.</>;
  return (
    <>
      Version {version}
      {shared && " for all accounts"}, saved by <Given text={by} />{" "}
      <Time at={at} zone={visitor.preferences.zone} />.{" "}
    </>
  );
}
