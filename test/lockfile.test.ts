import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  overrides: Record<string, string>;
  allowScripts: Record<string, boolean>;
};
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, LockedPackage>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== "");

test("every version is exact", () => {
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
  expect(Object.keys(wanted).length).toBeGreaterThan(20);
  const ranges = Object.entries(wanted).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(ranges).toEqual([]);
});

test("every optional package of every locked one is locked too", () => {
  const names = new Set(locked.map(([path]) => path.split("node_modules/").at(-1)));
  const missing = locked.flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !names.has(name))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

test("every install script was decided on", () => {
  const scripted = locked
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.split("node_modules/").at(-1) ?? "");
  expect(scripted.length).toBeGreaterThan(0);
  expect(scripted.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
});

test("no address of a registry is written down", () => {
  expect(readFileSync("package-lock.json", "utf8")).not.toContain('"resolved": "http');
});
