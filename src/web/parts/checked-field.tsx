/** Fields of a form that is shown again with what was typed: each says beside itself what is wrong with it. */
import type { Child } from "hono/jsx";
import type { FieldProblem } from "../../api/problem.ts";

export interface CheckedForm {
  /** By the name of the field; of a box that is ticked, `true`. */
  texts: Readonly<Record<string, string>>;
  /** By the name of the field, or by the beginning of a name. */
  errors: readonly FieldProblem[];
  /** Shown, and not to be changed. */
  readOnly?: boolean;
}

interface FieldProps {
  of: CheckedForm;
  name: string;
  label: string;
  hint?: Child;
  class?: string;
}

type InputProps = FieldProps & { inputmode?: "numeric" | "decimal"; maxlength?: number; list?: string };

export function TextField({ inputmode, maxlength = 200, list, ...field }: InputProps) {
  return (
    <Field {...field}>
      <input
        type="text"
        value={field.of.texts[field.name] ?? ""}
        readonly={field.of.readOnly}
        {...{ inputmode, maxlength, list }}
        {...named(field)}
      />
    </Field>
  );
}

export function AreaField({ rows = 3, ...field }: FieldProps & { rows?: number }) {
  return (
    <Field {...field}>
      <textarea rows={rows} readonly={field.of.readOnly} {...named(field)}>
        {field.of.texts[field.name] ?? ""}
      </textarea>
    </Field>
  );
}

export function SelectField({
  options,
  ...field
}: FieldProps & { options: readonly (readonly [value: string, words: string])[] }) {
  const chosen = field.of.texts[field.name] ?? "";
  return (
    <Field {...field}>
      <select disabled={field.of.readOnly} {...named(field)}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function TickField({ of, name, label }: FieldProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        value="true"
        checked={of.texts[name] === "true"}
        disabled={of.readOnly}
      />{" "}
      {label}
    </label>
  );
}

/** Everything that is wrong, above the form, each with the way to its field. It takes the focus: nothing was done. */
export function ErrorSummary({ of, title }: { of: CheckedForm; title: string }) {
  if (of.errors.length === 0) return null;
  return (
    <div class="form-error" role="alert" tabindex={-1} autofocus>
      <p>{title}</p>
      <ul>
        {of.errors.map(({ path, message }) => (
          <li>{path in of.texts ? <a href={`#${idOf(path)}`}>{message}</a> : message}</li>
        ))}
      </ul>
    </div>
  );
}

function Field({ of, name, label, hint, class: kind, children }: FieldProps & { children?: Child }) {
  const wrong = errorsOf(of, name);
  return (
    <label class={kind}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <small class="muted">{hint}</small>}
      {wrong.length > 0 && (
        <small class="field-error" id={`${idOf(name)}-error`}>
          {wrong.map(({ message }) => message).join("; ")}
        </small>
      )}
    </label>
  );
}

function named({ of, name }: FieldProps) {
  const isWrong = errorsOf(of, name).length > 0;
  return {
    name,
    id: idOf(name),
    ...(isWrong ? { "aria-invalid": "true" as const, "aria-describedby": `${idOf(name)}-error` } : {}),
  };
}

function errorsOf({ errors }: CheckedForm, name: string): readonly FieldProblem[] {
  return errors.filter(({ path }) => path === name || path.startsWith(`${name}.`));
}

function idOf(name: string): string {
  return `field-${name.replaceAll(/[^\w-]/g, "-")}`;
}
