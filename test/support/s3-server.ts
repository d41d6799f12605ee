import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { secret } from "../../src/core/secret.ts";
import { createS3Files } from "../../src/store/files/s3-files.ts";
import type { S3ClientOptions, S3Place } from "../../src/store/files/s3-request.ts";
import { freePort } from "./free-port.ts";
import { openFolder } from "./open-folder.ts";

export interface TestS3 {
  readonly url: string;
  readonly port: number;
  /** For the program; its bucket is `kept`. */
  readonly env: Record<string, string>;
  place(changes?: Partial<S3Place>): S3Place;
  files(changes?: Partial<S3Place>, options?: Partial<S3ClientOptions>): ReturnType<typeof createS3Files>;
  /** At once, as of a machine that is switched off. What it keeps stays. */
  kill(): Promise<void>;
  /** Again, on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** It pages its listings with a cipher that OpenSSL counts as old. */
const nodeFlags = ["--openssl-legacy-provider"];
const script = `
  const Server = require("@20minutes/s3rver");
  const [directory, port] = process.argv.slice(1);
  const options = { directory, port: Number(port), address: "127.0.0.1", silent: true, configureBuckets: [{ name: "kept" }] };
  new Server(options).run().then(() => console.log("ready"));
`;
/** The only pair of key and secret that it knows. */
const known = "S3RVER";

/** A real S3-compatible server in a process of its own, which checks signatures. */
export async function startS3(): Promise<TestS3> {
  const folder = await openFolder("tieout-s3-");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const start = async () => {
    const started = spawn(
      process.execPath,
      [...nodeFlags, "-e", script, join(folder, "buckets"), String(port)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    child = started;
    await Promise.race([
      once(started.stdout, "data"),
      once(started, "exit").then(() => Promise.reject(new Error("the S3 server did not start"))),
    ]);
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  };
  const place = (changes: Partial<S3Place> = {}): S3Place => ({
    bucket: "kept",
    prefix: "tieout",
    region: "eu-central-1",
    endpoint: url,
    credentials: { accessKeyId: secret(known), secretAccessKey: secret(known), sessionToken: null },
    ...changes,
  });
  await start();
  return {
    url,
    port,
    env: {
      FILES_URL: "s3://kept/tieout",
      AWS_ACCESS_KEY_ID: known,
      AWS_SECRET_ACCESS_KEY: known,
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_S3: url,
    },
    place,
    files: (changes, options) =>
      createS3Files(place(changes), { now: Date.now, retryAfterMs: [50, 200], ...options }),
    kill,
    start,
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
