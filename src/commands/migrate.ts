import type { CommandContext } from "./context.ts";
import { openStore } from "./open-store.ts";
import { writeOut } from "./write-out.ts";

export async function migrate(context: CommandContext, options: { json: boolean }): Promise<void> {
  const store = await openStore(context, { migrate: true, queue: true });
  await store.close();
  if (options.json) writeOut(`${JSON.stringify({ schema_version: store.schemaVersion })}\n`);
}
