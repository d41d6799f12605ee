import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

/** Beside what the compiler writes: built code finds `package.json`, and the packages, in the folders above it. */
const folder = "dist/test-run";
const roots = ["src", "jobs", "bench"];

/** For `server.deps.external`. */
export const compiledFiles = /\/dist\/test-run\//;

/**
 * Lets Node load the program's own modules: a test file of the API imports some 400, and Vite's runner fetches, wraps and
 * evaluates them one by one, in each process again. What has changed since the last run is compiled first.
 */
export async function loadCompiled(): Promise<Plugin> {
  await compileChanged();
  return {
    name: "load-compiled",
    enforce: "pre",
    resolveId(id, importer) {
      if (importer === undefined || !/^\.{1,2}\//.test(id)) return undefined;
      const source = relative(".", resolve(dirname(importer), id));
      const isOurs = roots.includes(source.split(sep)[0] ?? "") && /\.tsx?$/.test(source);
      // A file that is gone is an error here too, whatever was once compiled of it.
      return isOurs && existsSync(source) ? resolve(compiledPath(source)) : undefined;
    },
  };
}

async function compileChanged(): Promise<void> {
  const sources = (await Promise.all(roots.map((root) => filesBelow(root, /\.tsx?$/)))).flat();
  const wanted = new Set(sources.map(compiledPath));
  const gone = (await filesBelow(folder, /\.js$/)).filter((path) => !wanted.has(path));
  await Promise.all(gone.map((path) => rm(path, { force: true })));
  const differs = await Promise.all(sources.map(isChanged));
  const changed = sources.filter((_, at) => differs[at]);
  const { outputFiles } = await build({
    entryPoints: changed,
    outbase: ".",
    outdir: folder,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    write: false,
  });
  await Promise.all(outputFiles.map(({ text }, at) => place(changed[at] ?? "", text)));
}

/** With the time of its source, and under its name only once it is whole: another run may be reading it. */
async function place(source: string, code: string): Promise<void> {
  const path = compiledPath(source);
  const partial = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(partial, code.replaceAll(importOfSource, '$1.js"'));
  const { mtime } = await stat(source);
  await utimes(partial, mtime, mtime);
  await rename(partial, path);
}

/** As esbuild writes them, one to a line; not what looks alike in the middle of a text. */
const importOfSource = /^((?:\} from|(?:im|ex)port .*from|import|.*\bimport\()\s*"\.[^"\n]*)\.tsx?"/gm;

async function isChanged(source: string): Promise<boolean> {
  const [now, then] = await Promise.all([stat(source), stat(compiledPath(source)).catch(() => null)]);
  return then === null || Math.abs(now.mtimeMs - then.mtimeMs) > 1;
}

function compiledPath(source: string): string {
  return join(folder, source.replace(/\.tsx?$/, ".js"));
}

async function filesBelow(root: string, name: RegExp): Promise<string[]> {
  const found = await readdir(root, { recursive: true }).catch(() => []);
  return found.filter((path) => name.test(path)).map((path) => join(root, path));
}
