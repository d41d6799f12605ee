import { KeptField, type KeptForm } from "./kept-fields.tsx";

interface ReasonFieldProps extends KeptForm {
  label?: string;
  /** What it says before anything is typed. */
  begin?: string;
  /** The key that leads to it. */
  hotkey?: string;
  /** Some buttons of its form need no reason. */
  optional?: boolean;
}

/** Why something is done: kept on record. */
export function ReasonField({ label = "Reason", begin, hotkey, optional, ...of }: ReasonFieldProps) {
  return (
    <KeptField
      {...of}
      name="reason"
      label={label}
      begin={begin}
      class="grow"
      required={optional !== true}
      maxlength={500}
      data-key={hotkey}
    />
  );
}
