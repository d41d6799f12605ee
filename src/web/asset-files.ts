import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

interface AssetFile {
  contentType: string;
  body: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
}

/** The files beside the pages. Each is served under a name that holds its content's hash, and so may be kept for ever. */
export interface AssetFiles {
  /** The address of a file, by its plain name. */
  urlOf(name: AssetName): string;
  /** By the name in the address. */
  find(hashedName: string): AssetFile | null;
}

const styleType = "text/css; charset=utf-8";
const scriptType = "text/javascript; charset=utf-8";

/** Written in pieces, sent as one. */
const styleSheet = ["tokens", "base", "parts", "screens", "phone", "print"].map(
  (name) => `styles/${name}.css`,
);

/** Ours lie in `assets/`, the others come from packages. */
const sources = {
  "uplot.css": { from: "uplot/dist/uPlot.min.css", contentType: styleType },
  "page.css": { from: styleSheet, contentType: styleType },
  "htmx.js": { from: "htmx.org/dist/htmx.min.js", contentType: scriptType },
  "uplot.js": { from: "uplot/dist/uPlot.iife.min.js", contentType: scriptType },
  "page.js": { from: null, contentType: scriptType },
  "charts.js": { from: null, contentType: scriptType },
  "passkeys.js": { from: null, contentType: scriptType },
  "icon.svg": { from: null, contentType: "image/svg+xml" },
} as const;

export type AssetName = keyof typeof sources;

export function loadAssets(): AssetFiles {
  const { resolve } = createRequire(import.meta.url);
  const files = new Map<string, AssetFile>();
  const urls = new Map<string, string>();
  for (const [name, { from, contentType }] of Object.entries(sources)) {
    const paths =
      typeof from === "string" ? [resolve(from)] : (from ?? [name]).map((own) => join(ownFolder(), own));
    const content = Buffer.concat(paths.map((path) => readFileSync(path)));
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
    const [stem, ending] = name.split(".");
    const hashedName = `${stem}-${hash}.${ending}`;
    files.set(hashedName, {
      contentType,
      body: new Uint8Array(content),
      gzipped: new Uint8Array(gzipSync(content)),
    });
    urls.set(name, `/assets/${hashedName}`);
  }
  return {
    urlOf: (name) => urls.get(name) ?? "",
    find: (hashedName) => files.get(hashedName) ?? null,
  };
}

/** The compiler copies no style sheets: built code finds them where the source lies, below the same `package.json`. */
function ownFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, "src", "web", "assets");
}
