import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/** The rooms and which of them each may import; docs/architecture.md says why. */
const mayImport: Record<string, string[]> = {
  "src/core": [],
  "src/upstream": ["src/core"],
  "src/store": ["src/core"],
  "src/sync": ["src/core", "src/upstream", "src/store"],
  "src/reconcile": ["src/core", "src/store"],
  "src/report": ["src/core", "src/store"],
  "src/close": ["src/core", "src/store", "src/reconcile", "src/report"],
  "src/notify": ["src/core", "src/store"],
  "src/access": ["src/core", "src/store"],
  "src/api": ["src/core", "src/store", "src/reconcile", "src/report", "src/close", "src/access"],
  "src/web": ["src/core", "src/store", "src/report", "src/access", "src/api"],
  "src/sandbox": ["src/core"],
  "src/conformance": ["src/core"],
  jobs: [
    "src/core",
    "src/config.ts",
    "src/log.ts",
    "src/trace.ts",
    "src/sync",
    "src/reconcile",
    "src/report",
  ],
  "src/config.ts": [
    "src/core",
    "src/accounts-file.ts",
    "src/environment.ts",
    "src/oidc-settings.ts",
    "src/retention-settings.ts",
    "src/copies-settings.ts",
    "src/files-settings.ts",
    "src/trace-settings.ts",
  ],
  "src/environment.ts": ["src/core"],
  "src/accounts-file.ts": ["src/core"],
  "src/oidc-settings.ts": ["src/core", "src/accounts-file.ts", "src/environment.ts"],
  "src/retention-settings.ts": ["src/core", "src/environment.ts"],
  "src/files-settings.ts": ["src/core", "src/accounts-file.ts", "src/environment.ts"],
  "src/copies-settings.ts": ["src/environment.ts"],
  "src/trace-settings.ts": ["src/core", "src/accounts-file.ts", "src/environment.ts"],
  "src/log.ts": ["src/core"],
  "src/trace.ts": ["src/core", "src/trace-settings.ts"],
  "src/metrics.ts": ["src/core", "src/notify-metrics.ts"],
  "src/notify-metrics.ts": ["src/core"],
  "src/commands": ["*"],
  "src/main.ts": ["src/commands", "src/config.ts", "src/core"],
};

interface BanRule {
  pattern: RegExp;
  example: string;
  instead: string;
  except?: RegExp;
  within?: RegExp;
}

const bans: BanRule[] = [
  { pattern: /\bparseFloat\(/, example: "parseFloat(x)", instead: "parseDecimal, from core/decimal.ts" },
  {
    pattern: /\bDate\.now\(|new Date\(\)/,
    example: "new Date()",
    instead: "pass `now` in",
    except: /^(src\/main\.ts|src\/commands\/|jobs\/|test\/|bench\/)/,
  },
  {
    pattern: /\bprocess\.env\b/,
    example: "process.env.PORT",
    instead: "add it to Config",
    except: /^(src\/config\.ts$|test\/|bench\/|vitest\.config\.ts)/,
  },
  {
    pattern: /\bMath\.random\(/,
    example: "Math.random()",
    instead: "node:crypto, or a seed passed in",
    within: /^(src|jobs)\//,
  },
  {
    pattern: /\b(test|it|describe)\.(skip|only|todo)\b/,
    example: "test.skip(",
    instead: "mend the test or delete it",
  },
  { pattern: /\bvi\.mock\(/, example: "vi.mock(", instead: "start the real thing; see test/support" },
  {
    pattern: /\b(TODO|FIXME|XXX)\b/,
    example: "// TODO",
    instead: "do it, or write it into the decision records",
  },
  {
    pattern: /\bconsole\.(log|error|warn)\(/,
    example: "console.log(",
    instead: "the log, or `say`",
    within: /^(src|jobs)\//,
  },
  {
    pattern: /`[^`]*\b(select|insert into|update|delete from)\s[^`]*\b(from|set|values)\b/,
    example: "`select 1 from t`",
    instead: "a function in src/store",
    within: /^(src|jobs)\/(?!store\/|report\/)/,
  },
  {
    pattern: /from "bullmq"/,
    example: 'import { Queue } from "bullmq"',
    instead: "a function in jobs/",
    within: /^src\//,
  },
  {
    // Postgres has zone data of its own, and a list made by ours would not agree with it.
    pattern: /\bat time zone (?!'UTC')|\bIntl\.DateTimeFormat\b/,
    example: "at time zone $1",
    instead: "core/zone.ts, and localDay from store/zone-sql.ts",
    within: /^src\//,
    except: /^src\/(core\/(zone|month-names)\.ts|web\/assets\/)/,
  },
  {
    pattern: /from "drizzle-orm\/node-postgres"/,
    example: 'import { drizzle } from "drizzle-orm/node-postgres"',
    instead: "database.orm: its errors have codes, and no bound values in their messages",
    except: /^src\/store\/orm\.ts$/,
  },
  {
    pattern: /\bobject: z\.literal\(/,
    example: 'object: z.literal("statement")',
    instead: "describeObject: schema, presenter and example in one place",
    within: /^src\/api\//,
    except: /^src\/api\/(object|list)\.ts$/,
  },
  {
    // "1 days". A limit that the program sets itself is named for it and is never one.
    pattern:
      /\{(?![^{}]*(?:Max|Shown)\b)[^{}]*\} (?:days|hours|minutes|seconds|rows|lines|files|payouts|transactions|discrepancies|matches|providers|accounts|terms|records|bytes|gaps|suggestions|orders|people|months)\b(?![=/])/,
    example: "{row.ageDays} days",
    instead: "counted, from core/counted.ts",
    within: /^src\/(web|commands)\//,
  },
  { pattern: /^export \* from/m, example: 'export * from "./a.ts"', instead: "import from the file itself" },
];

const bannedNames = /(^|-)(utils?|common|manager|service|helpers?|misc|index)\.tsx?$/;
/** A table of cases may be long; a file that does something may not. */
const linesMax = { code: 300, tests: 500 };

const files = await sourceFiles(["src", "jobs", "test", "bench"]);
const code = files.filter((file) => /^(src|jobs)\//.test(file));
const sources = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
const imports = new Map(code.map((file) => [file, importsOf(file, sources.get(file) ?? "")]));

describe("the architecture", () => {
  test("there are files to read", () => {
    expect(code.length).toBeGreaterThan(30);
    expect([...imports.values()].flat().length).toBeGreaterThan(60);
  });

  test("every file lies in a known room", () => {
    expect(code.filter((file) => roomOf(file) === null)).toEqual([]);
  });

  test("no room imports one that it may not", () => {
    const forbidden = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} → ${target}`),
    );
    expect(forbidden).toEqual([]);
  });

  test("the rule fires on a forbidden import", () => {
    expect(isAllowed("src/store/database.ts", "src/upstream/client.ts")).toBe(false);
    expect(isAllowed("src/core/decimal.ts", "src/store/database.ts")).toBe(false);
    expect(isAllowed("src/api/app.ts", "src/core/duration.ts")).toBe(true);
  });

  test("imports are found in every form", () => {
    const text =
      'import a from "./a.ts";\nexport { b } from "../b.ts";\nconst c = await import("./c.ts");\nimport "./d.ts";';
    expect(importsOf("src/x/y.ts", text)).toEqual(["src/x/a.ts", "src/b.ts", "src/x/c.ts", "src/x/d.ts"]);
  });

  test("nothing imports in a circle", () => {
    expect(findCycle(imports)).toBeNull();
    expect(
      findCycle(
        new Map([
          ["a", ["b"]],
          ["b", ["a"]],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
  });

  test("files are small and named for what they do", () => {
    const long = files.filter(
      (file) => linesOf(file) > (file.startsWith("test/") ? linesMax.tests : linesMax.code),
    );
    expect(long).toEqual([]);
    expect(files.filter((file) => bannedNames.test(file.split("/").at(-1) ?? ""))).toEqual([]);
  });

  test.each(bans.map((ban) => [ban.example, ban] as const))("nobody writes %s", (_, ban) => {
    expect(ban.example).toMatch(ban.pattern);
    const found = files
      .filter((file) => file !== "test/architecture.test.ts")
      .filter((file) => !ban.except?.test(file) && (ban.within?.test(file) ?? true))
      .filter((file) => ban.pattern.test(sources.get(file) ?? ""))
      .map((file) => `${file}: use ${ban.instead}`);
    expect(found).toEqual([]);
  });
});

function linesOf(file: string): number {
  return (sources.get(file) ?? "").split("\n").length - 1;
}

async function sourceFiles(folders: string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true }).catch(() => []);
      return entries.filter((entry) => /\.tsx?$/.test(entry)).map((entry) => join(folder, entry));
    }),
  );
  return found.flat().toSorted();
}

function importsOf(file: string, text: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"(\.[^"]+)"/gm;
  return [...text.matchAll(pattern)].map((found) => normalize(join(dirname(file), found[1] ?? "")));
}

function roomOf(file: string): string | null {
  return Object.keys(mayImport).find((room) => file === room || file.startsWith(`${room}/`)) ?? null;
}

function isAllowed(file: string, target: string): boolean {
  const from = roomOf(file);
  const to = roomOf(target);
  if (from === null || to === null) return false;
  const allowed = mayImport[from] ?? [];
  return from === to || allowed.includes(to) || (allowed.includes("*") && to !== "src/main.ts");
}

function findCycle(graph: ReadonlyMap<string, string[]>): string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  function visit(node: string): string[] | null {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(node);
    return null;
  }
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle) return cycle;
  }
  return null;
}
