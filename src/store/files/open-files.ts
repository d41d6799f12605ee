import { createFolderFiles } from "./folder-files.ts";
import type { Files } from "./files.ts";
import { createS3Files } from "./s3-files.ts";
import type { S3ClientOptions, S3Place } from "./s3-request.ts";

/** Where files go, as it is configured. */
export type FilesPlace = { kind: "folder"; folder: string } | ({ kind: "s3" } & S3Place);

export function openFiles(place: FilesPlace, options: S3ClientOptions): Files {
  return place.kind === "folder" ? createFolderFiles(place.folder) : createS3Files(place, options);
}
