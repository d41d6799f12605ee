import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, readProcessConfig } from "../config.ts";
import { createLog, type Log } from "../log.ts";
import { visible } from "./write-out.ts";

/** What every command starts from. */
export interface CommandContext {
  config: Config;
  /** The configuration as it is now: files with secrets may have been replaced. */
  readConfigAgain: () => Config;
  log: Log;
  now: () => number;
  /** A line for the person who started the command: to stderr, because stdout is for data. */
  say: (line: string) => void;
  version: string;
  migrationsDir: string;
}

export function createContext(): CommandContext {
  const config = readProcessConfig();
  const root = packageRoot();
  const say = (line: string) => void process.stderr.write(`${visible(line)}\n`);
  for (const warning of config.warnings) say(`Warning: ${warning}`);
  return {
    config,
    readConfigAgain: readProcessConfig,
    log: createLog({ level: config.logLevel }),
    now: Date.now,
    say,
    version: packageVersion(),
    migrationsDir: join(root, "migrations"),
  };
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/** This file lies at another depth as source than as built code; the folder with `package.json` is the same. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
