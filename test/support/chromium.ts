import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The machine's own Chromium, or `null` on a machine that has none; the run then says so, and CI fails. */
export function findChromium(): string | null {
  const path = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
  if (existsSync(path)) return path;
  const message = `there is no Chromium at ${path}: the pages were not opened in a browser (apt-get install chromium, or set CHROMIUM_PATH)`;
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`${message}\n`);
  return null;
}

export function openBrowser(executablePath: string): Promise<Browser> {
  // Root may not use Chromium's own sandbox, and containers have little shared memory.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
