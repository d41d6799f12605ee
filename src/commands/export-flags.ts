import type { Command } from "commander";
import { usageError } from "../core/errors.ts";
import { InvalidParameters } from "../report/errors.ts";
import { reportFormats } from "../report/report.ts";
import { parameterHelp, type ParameterName } from "../report/parameters.ts";

/** The flags of `tieout export`: the parameters of a report, and where it goes. */
export type ExportFlags = {
  format: string;
  out?: string;
  json: boolean;
  quiet: boolean;
} & Partial<Record<string, string | string[] | boolean>>;

const switches: ReadonlySet<ParameterName> = new Set(["raw", "partial", "gzip"]);

/** Takes the parameters from the report room, so that the command line and the API can never differ. */
export function addExportFlags(command: Command): Command {
  for (const [name, help] of Object.entries(parameterHelp)) {
    const flag = flagOf(name);
    if (switches.has(name as ParameterName)) command.option(flag, help.replace(/^true: /, ""), false);
    else command.option(`${flag} <value>`, help, collect);
  }
  return command
    .option("--format <format>", reportFormats.join(", "), "csv")
    .option("--out <file>", "the file or folder to write to, with control totals beside it (default: stdout)")
    .option("--json", "print the control totals as JSON; needs --out", false)
    .option("--quiet", "say nothing on stderr", false);
}

/** A flag may be given several times. */
function collect(value: string, before: string[] | undefined): string[] | undefined {
  return [...(before ?? []), value];
}

/** As the report room takes them. */
export function givenParameters(flags: ExportFlags): Record<string, string[]> {
  const names = Object.keys(parameterHelp);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = flags[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
      if (value === undefined || value === false) return [];
      return [[name, value === true ? ["true"] : [value].flat()]];
    }),
  );
}

/** A refusal of parameters, under the names that they have here: `--known-at`, not `known_at`. */
export function inFlags(error: unknown): unknown {
  if (!(error instanceof InvalidParameters)) return error;
  const lines = error.problems.map(({ path, message }) =>
    message.startsWith(`${path}:`) ? `${flagOf(path)}${message.slice(path.length)}` : message,
  );
  return usageError(lines.join("\n"));
}

function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}
