import type { ApiContext } from "./deps.ts";
import { fileTooLarge, keepUpload, type Upload, withUploadFolder } from "./keep-upload.ts";
import { problem } from "./problem.ts";

/** Takes the body of a request to disk, counted while it comes, and removes it again whatever happens. */
export async function withUpload<T>(
  c: ApiContext,
  { bytesMax }: { bytesMax: number },
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  refuseForms(c.req.header("content-type") ?? "");
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw fileTooLarge(bytesMax);
  const body = (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>;
  return withUploadFolder(async (folder) => use(await keepUpload(body, { folder, bytesMax })));
}

function refuseForms(contentType: string): void {
  if (!/^(multipart\/|application\/(json|x-www-form-urlencoded))/i.test(contentType)) return;
  throw problem(
    "unsupported_media_type",
    "Send the file itself as the body: curl --data-binary @file.csv -H 'content-type: text/csv'.",
  );
}
