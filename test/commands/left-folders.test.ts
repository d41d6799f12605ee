import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOUR } from "../../src/core/duration.ts";
import { processStart } from "../../src/store/embedded/process-alive.ts";
import { aKey } from "../api/an-api.ts";
import { startTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openTestFolder } from "../support/test-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

test("a start removes the uploads that a killed process left behind, and nothing else", async () => {
  const temporary = await openTestFolder("tieout-left-");
  const start = () =>
    startTieout(["serve"], {
      DATABASE_URL: database.url.reveal(),
      TIEOUT_DATA_DIR: join(temporary, "data"),
      TMPDIR: temporary,
      PORT: "0",
    });
  const first = start();
  const url = await first.ready();
  const key = await aKey(database.db, "accountant");
  const upload = request(`${url}/v1/statements?file_name=half.csv`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
  });
  upload.on("error", () => undefined);
  upload.write("id,amount\n");
  const uploads = async () => (await readdir(temporary)).filter((name) => name.startsWith("tieout-upload-"));
  await waitFor("the upload has its folder", async () => (await uploads()).length === 1);
  const [left = ""] = await uploads();
  await first.stop("SIGKILL");
  expect(await uploads()).toEqual([left]);

  const aged = async (name: string, hours: number) => {
    const at = new Date(Date.now() - hours * HOUR);
    await utimes(join(temporary, name), at, at);
  };
  const made = async (name: string, hours: number) => {
    await mkdir(join(temporary, name));
    await writeFile(join(temporary, name, "file"), "id,amount\n");
    await aged(name, hours);
  };
  const ours = `${process.pid}.${processStart(process.pid)}`;
  const kept = [
    `tieout-upload-${ours}-Living`,
    "tieout-pack-999999999.1-Young0",
    "tieout-upload-Young1",
    "tieout-uploads-Other1",
    "tieout-upload-Linked",
  ];
  await made(kept[0] ?? "", 48);
  await made(kept[1] ?? "", 0);
  await made(kept[2] ?? "", 20);
  await made(kept[3] ?? "", 48);
  await symlink(join(temporary, kept[3] ?? ""), join(temporary, kept[4] ?? ""));
  await made("tieout-pack-999999999.1-OldOne", 2);
  await made("tieout-pack-OldTwo", 25);
  await aged(left, 2);

  const second = start();
  await second.ready();
  const there = await readdir(temporary);
  await second.stop();
  expect(there.filter((name) => name.startsWith("tieout-")).toSorted()).toEqual(kept.toSorted());
  expect(await readdir(join(temporary, kept[3] ?? ""))).toEqual(["file"]);
});
