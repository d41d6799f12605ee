interface FileInputProps {
  name?: string;
  label: string;
  /** What may be chosen, and how large. */
  hint: string;
  accept?: string;
  required?: boolean;
}

/** A file, chosen or dropped. The browser's own control stays: it names what was chosen, with and without a script. */
export function FileInput({ name = "file", label, hint, accept, required = true }: FileInputProps) {
  return (
    <label class="file-input" data-drop>
      <span>{label}</span>
      <small>{hint}</small>
      <input type="file" name={name} accept={accept} required={required} />
    </label>
  );
}
