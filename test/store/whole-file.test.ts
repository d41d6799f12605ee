import { statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAuditHeads } from "../../src/commands/audit-heads-file.ts";
import { openErasureKey } from "../../src/commands/erasure-key.ts";
import { openWebhookKey } from "../../src/commands/webhook-key.ts";
import { holdDataFolder } from "../../src/store/embedded/hold-data-folder.ts";
import { ensurePassword } from "../../src/store/embedded/initialise.ts";
import { secretFile } from "../../src/store/embedded/secret-files.ts";
import { openFolder } from "../support/open-folder.ts";

const openers: [string, (dataDir: string) => Promise<string>][] = [
  [
    "webhooks are signed with",
    (dataDir) => openWebhookKey({ dataDir, webhooks: { signingKey: null } as never }),
  ],
  [
    "heads of the audit log are signed with",
    async (dataDir) => {
      const { key } = await openAuditHeads({ dataDir, auditHeadsFile: null, auditSigningKey: null });
      return String(key.export({ type: "pkcs8", format: "pem" }));
    },
  ],
  [
    "erased values are hidden with",
    async (dataDir) => {
      const key = await openErasureKey({ dataDir, erasureKey: null, databaseUrl: null });
      return key.id;
    },
  ],
  [
    "the embedded Postgres is entered with",
    (dataDir) => ensurePassword(secretFile(dataDir, "ownerPassword")),
  ],
];

test.each(openers)("many that start at once in one folder get one key that %s", async (_, open) => {
  const dataDir = await openFolder("tieout-keys-");
  const keys = await Promise.all(Array.from({ length: 8 }, () => open(dataDir)));
  expect(new Set(keys).size).toBe(1);
  expect(await open(dataDir)).toBe(keys[0]);
  // Nothing but the key is left behind.
  expect(await readdir(dataDir)).toHaveLength(1);
  await rm(dataDir, { recursive: true });
});

const holder: [string, (dataDir: string) => Promise<string>] = [
  "the folder is held with",
  async (dataDir) => {
    await holdDataFolder(dataDir);
    return "held";
  },
];

test.each([...openers, holder])("nobody ever finds an empty file where one is that %s", async (_, open) => {
  const dataDir = await openFolder("tieout-keys-");
  const [name = ""] = await namesAfter(open);
  const empty: string[] = [];
  const opened = new AbortController();
  const opening = open(dataDir).finally(() => opened.abort());
  // Whoever starts meanwhile may look at any moment.
  while (!opened.signal.aborted) {
    if (sizeOf(join(dataDir, name)) === 0) empty.push(name);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await opening;
  expect(name).not.toBe("");
  expect(empty).toEqual([]);
  await rm(dataDir, { recursive: true });
});

async function namesAfter(open: (dataDir: string) => Promise<string>): Promise<string[]> {
  const dataDir = await openFolder("tieout-keys-");
  await open(dataDir);
  const names = await readdir(dataDir);
  await rm(dataDir, { recursive: true });
  return names;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
