import type { ApiContext } from "./deps.ts";
import { fileTooLarge, keepUpload, type Upload, withUploadFolder } from "./keep-upload.ts";
import { problem } from "./problem.ts";

/** Takes the body of a request to disk, counted while it comes, and removes it again whatever happens. */
export async function withUpload<T>(
  c: ApiContext,
  { bytesMax, contentTypes }: { bytesMax: number; contentTypes: readonly string[] },
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  refuseForms(c.req.header("content-type") ?? "", contentTypes);
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw fileTooLarge(bytesMax);
  const body = (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>;
  return withUploadFolder(async (folder) => use(await keepUpload(body, { folder, bytesMax })));
}

/** JSON around a file is a form too, except where the file itself may be JSON. */
function refuseForms(given: string, contentTypes: readonly string[]): void {
  if (!/^(multipart\/|application\/(json|x-www-form-urlencoded))/i.test(given)) return;
  if (/^application\/json\b/i.test(given) && contentTypes.includes("application/json")) return;
  throw problem(
    "unsupported_media_type",
    "Send the file itself as the body: curl --data-binary @file.csv -H 'content-type: text/csv'.",
  );
}
