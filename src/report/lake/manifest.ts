import { z } from "zod";
import { TieoutError } from "../../core/errors.ts";
import { addressOf, type Files, readText } from "../../store/files/files.ts";

const file = z.object({
  path: z.string(),
  account: z.string(),
  month: z.string(),
  rows: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  /** Of the rows, by which a month that has not changed is known. */
  digest: z.string(),
  written_at: z.string(),
  /** Whether it holds what is so now. A month that has changed has a newer file; the older one stays. */
  current: z.boolean(),
});
const manifestSchema = z.object({
  format_version: z.literal(1),
  /** All that was stored before this time is in the lake. */
  known_at: z.string(),
  /** The newest erasure that the files know of; a lake of an earlier version may know of none. */
  erasure: z.int().default(0),
  tables: z.record(
    z.string(),
    z.object({
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      /** Of a table that is only added to: rows up to this time have been written. */
      added_to: z.string().nullable(),
      files: z.array(file),
    }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type LakeFile = z.infer<typeof file>;

const manifestName = "manifest.json";

export async function readManifest(files: Files): Promise<Manifest | null> {
  const text = await readText(files, manifestName);
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new TieoutError(
      "lake_unusable",
      `${addressOf(files, manifestName)} is not a manifest of a lake: move it away, or choose another folder`,
      {
        cause: error,
      },
    );
  }
}

/** The last step of a run, and the only one that is seen: until then nothing points to the new files. */
export async function writeManifest(files: Files, manifest: Manifest): Promise<void> {
  await files.write(manifestName, [`${JSON.stringify(manifest, null, 1)}\n`]);
}
