/**
 * Bundles the compiled program (decision 24). Another tieout may be running from the same folder and read a part at any
 * moment: a part that is there already is left alone, and a new one takes its place whole.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: ["dist/src/main.js"],
  outdir: "dist",
  entryNames: "tieout",
  chunkNames: "tieout/[name]-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  keepNames: true,
  external: ["pg-native", "pino-pretty"],
  legalComments: "eof",
  logLevel: "warning",
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  // Newer Nodes have it. Without it, pg finds out where it runs by loading all of fetch.
  define: { navigator: '{"userAgent":"Node.js"}' },
  plugins: [{ name: "english-only", setup: leaveOutLanguages }],
  write: false,
});

/** Half of zod is its messages in fifty languages, which every command would have to read. */
function leaveOutLanguages({ onLoad }) {
  onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
    contents: 'export { default as en } from "./en.js";',
    resolveDir: dirname(path),
  }));
}

const isEntry = ({ path }) => basename(path) === "tieout.js";
// The entry last: it names the parts.
for (const file of outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b))) {
  await place(file, isEntry(file) ? 0o755 : 0o644);
}

async function place({ path, contents }, mode) {
  const present = await readFile(path).catch(() => null);
  if (present?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}`;
  await writeFile(next, contents, { mode });
  await rename(next, path);
}
