import { isSafeUrl, unsafeUrl, withoutTrailingSlash } from "../accounts-file.ts";
import { formatHtmlReport } from "../conformance/report-html.ts";
import { formatReport } from "../conformance/report-text.ts";
import {
  type CheckResult,
  conformanceGroups,
  type ConformanceOptions,
  type ConformanceReport,
  isConformanceName,
  runConformance,
} from "../conformance/run.ts";
import { isLoopback } from "../core/network.ts";
import { quote } from "../core/quote.ts";
import type { Secret } from "../core/secret.ts";
import type { CommandContext } from "./context.ts";
import { createOptionReader, type OptionReader } from "./option-problems.ts";

/** The flags of `tieout conformance` as they were typed. */
interface ConformanceFlags {
  baseUrl?: string;
  legacyBaseUrl?: string;
  apiKey?: string;
  apiSecret?: string;
  apiSecretFile?: string;
  otherApiKey?: string;
  otherApiSecret?: string;
  otherApiSecretFile?: string;
  allowWrites: boolean;
  only?: string;
  json: boolean;
  html: boolean;
}

/** Holds a server against the specification and prints the report; `true` when nothing differs. */
export async function conformance(context: CommandContext, flags: ConformanceFlags): Promise<boolean> {
  const options = readFlags(flags, context.config.conformance);
  context.say(`Checking ${options.baseUrl} …`);
  const progress = createProgress(context);
  try {
    const report = await runConformance({ ...options, now: context.now, onResult: progress.tell });
    progress.wipe();
    const write = flags.html ? formatHtmlReport : flags.json ? asJson : formatReport;
    process.stdout.write(write(report));
    return report.counts.differ === 0;
  } finally {
    progress.wipe();
  }
}

function asJson(report: ConformanceReport): string {
  return `${JSON.stringify(report)}\n`;
}

type Secrets = CommandContext["config"]["conformance"];

function readFlags(flags: ConformanceFlags, secrets: Secrets): Omit<ConformanceOptions, "now"> {
  const reader = createOptionReader();
  const baseUrl = readAddress(reader, "--base-url", flags.baseUrl);
  const legacyBaseUrl = readAddress(reader, "--legacy-base-url", flags.legacyBaseUrl);
  const apiKey = reader.headerText("--api-key", flags.apiKey);
  const readSecret = secretReader(reader, flags.baseUrl);
  const secretGiven = { text: flags.apiSecret, file: flags.apiSecretFile };
  const apiSecret = readSecret("--api-secret", secretGiven, secrets.apiSecret);
  const other = readOther(reader, flags, (given) =>
    readSecret("--other-api-secret", given, secrets.otherApiSecret),
  );
  const only = readGroups(reader, flags.only);
  if (flags.json && flags.html) reader.problem("--html", "given together with --json; keep one");
  if (flags.baseUrl === undefined) reader.problem("--base-url", "missing; the address of the server");
  if (flags.apiKey === undefined) reader.problem("--api-key", "missing; the key of an account");
  if (flags.apiSecret === undefined && flags.apiSecretFile === undefined && secrets.apiSecret === null) {
    reader.problem(
      "--api-secret",
      "missing; give the secret of that account with --api-secret-file, or as CONFORMANCE_API_SECRET",
    );
  }
  reader.assertUsable();
  return {
    baseUrl: baseUrl ?? "",
    ...(legacyBaseUrl === undefined ? {} : { legacyBaseUrl }),
    apiKey: apiKey ?? "",
    apiSecret: apiSecret ?? "",
    ...(other === undefined ? {} : { other }),
    allowWrites: flags.allowWrites,
    ...(only === undefined ? {} : { only }),
  };
}

type GivenSecret = { text: string | undefined; file: string | undefined };

/**
 * From a file or the environment. Everyone on the machine can read the arguments of a program, so a secret may be one
 * only when the server is on this machine as well, as the sandbox is, whose secret everyone knows.
 */
function secretReader(reader: OptionReader, baseUrl: string | undefined) {
  const isElsewhere = baseUrl !== undefined && isSafeUrl(baseUrl) && !isLoopback(new URL(baseUrl).hostname);
  return (option: string, given: GivenSecret, fromEnvironment: Secret | null): string | undefined => {
    if (given.text !== undefined && isElsewhere) {
      reader.problem(option, `everyone on this machine can read arguments; use ${option}-file`);
    }
    return reader.secret(option, given) ?? fromEnvironment?.reveal();
  };
}

/** The second account: its key and its secret, or neither. */
function readOther(
  reader: OptionReader,
  flags: ConformanceFlags,
  readSecret: (given: GivenSecret) => string | undefined,
): ConformanceOptions["other"] {
  const apiKey = reader.headerText("--other-api-key", flags.otherApiKey);
  const apiSecret = readSecret({ text: flags.otherApiSecret, file: flags.otherApiSecretFile });
  const secretGiven = apiSecret !== undefined;
  if (secretGiven && flags.otherApiKey === undefined)
    reader.problem("--other-api-key", "missing; the key that --other-api-secret belongs to");
  if (!secretGiven && flags.otherApiKey !== undefined)
    reader.problem("--other-api-secret", "missing; the secret of that account");
  return apiKey === undefined || apiSecret === undefined ? undefined : { apiKey, apiSecret };
}

function readAddress(reader: OptionReader, option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!isSafeUrl(text)) reader.problem(option, unsafeUrl(text));
  return withoutTrailingSlash(text);
}

function readGroups(reader: OptionReader, text: string | undefined): readonly string[] | undefined {
  const names = text?.split(",").map((name) => name.trim());
  const unknown = names?.filter((name) => !isConformanceName(name)) ?? [];
  if (unknown.length > 0) {
    const found = unknown.map((name) => quote(name)).join(", ");
    reader.problem("--only", `expected a check or some of ${conformanceGroups.join(",")}, found ${found}`);
  }
  return names;
}

/** A difference is printed when it is found; a terminal also shows a running count. */
function createProgress({ say }: CommandContext) {
  const { stderr } = process;
  let done = 0;
  const wipe = () => void (stderr.isTTY && stderr.write("\r\x1b[K"));
  return {
    wipe,
    tell: ({ id, outcome }: CheckResult): void => {
      done += 1;
      wipe();
      if (outcome.verdict === "differ") say(`Differs: ${id}`);
      if (stderr.isTTY) stderr.write(`${done} checks done`);
    },
  };
}
