/** Fields of a PostForm: when it is refused, they still hold what was typed, chosen and ticked. */
import type { Visitor } from "../deps.ts";
import { Choice } from "./blocks.tsx";
import { kept, keptTicks } from "./post-form.tsx";

/** A form by its id, as its fields have to know it. */
export interface KeptForm {
  visitor: Visitor;
  form: string;
}

interface FieldProps extends KeptForm {
  name: string;
  label: string;
}

interface KeptFieldProps extends FieldProps {
  type?: "text" | "email" | "url" | "date" | "time";
  /** What it holds before anything is typed. */
  begin?: string | undefined;
  class?: string;
  required?: boolean;
  maxlength?: number;
  max?: string;
  placeholder?: string;
  inputmode?: "decimal";
  autocomplete?: "off";
  "data-key"?: string | undefined;
}

export function KeptField({
  visitor,
  form,
  name,
  label,
  type = "text",
  begin,
  class: kind,
  ...more
}: KeptFieldProps) {
  return (
    <label class={kind}>
      <span>{label}</span>
      <input type={type} name={name} value={kept(visitor, form, name, begin)} {...more} />
    </label>
  );
}

/** One of several, or any. */
export function KeptChoice({
  visitor,
  form,
  begin,
  ...choice
}: KeptForm & Omit<Parameters<typeof Choice>[0], "chosen"> & { begin?: string | undefined }) {
  return <Choice {...choice} chosen={kept(visitor, form, choice.name, begin)} />;
}

interface KeptSelectProps extends FieldProps {
  options: readonly (readonly [value: string, words: string])[];
  begin?: string | undefined;
}

/** One of several, always. */
export function KeptSelect({ visitor, form, name, label, options, begin }: KeptSelectProps) {
  const chosen = kept(visitor, form, name, begin);
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface KeptTicksProps extends KeptForm {
  name: string;
  legend: string;
  values: readonly string[];
  begin?: readonly string[];
  /** What a value means, behind the pointer. */
  meanings?: Readonly<Record<string, string>>;
}

/** Any number of several. */
export function KeptTicks({ visitor, form, name, legend, values, begin, meanings }: KeptTicksProps) {
  const ticked = keptTicks(visitor, form, name, begin);
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {values.map((value) => (
        <label title={meanings?.[value]}>
          <input type="checkbox" name={name} value={value} checked={ticked.includes(value)} /> {value}
        </label>
      ))}
    </fieldset>
  );
}
