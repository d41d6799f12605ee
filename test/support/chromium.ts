import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";

/** Chromium without its windows takes a fifth of the processor's time for the same pages; Debian packs it on its own. */
const usualPaths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The machine's own Chromium, or `null` on a machine that has none; the run then says so, and CI fails. */
export function findChromium(): string | null {
  const named = process.env["CHROMIUM_PATH"];
  const paths = named === undefined ? usualPaths : [named];
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const message = `there is no Chromium at ${paths.join(" or ")}: the pages were not opened in a browser (apt-get install chromium-headless-shell, or set CHROMIUM_PATH)`;
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`${message}\n`);
  return null;
}

export async function openBrowser(executablePath: string): Promise<Browser> {
  // Reading the library takes most of a second, and many files that use the page open no browser.
  const { chromium } = await import("playwright-core");
  // Root may not use Chromium's own sandbox, and containers have little shared memory.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Those of axe's rules that other colours can break: a link inside a text may be told by its colour alone. */
export const rulesOfColour = ["color-contrast", "link-in-text-block"] as const;

/** With `KEEP_SCREENSHOTS=1` in `artifacts/`, for people to look at. No test reads them, and drawing them takes its time. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env["KEEP_SCREENSHOTS"] !== "1") return;
  await page.screenshot({ path: `artifacts/${name}.png`, fullPage: true, animations: "disabled" });
}
