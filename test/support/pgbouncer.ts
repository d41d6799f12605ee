import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { waitFor } from "./wait-for.ts";

export interface TestPooler {
  /** The same role and database, through the pooler. */
  url: string;
  stop(): Promise<void>;
  /** Again, on the port that it had. */
  start(): Promise<void>;
}

/** Debian puts it where only root's path looks. */
const program = "/usr/sbin/pgbouncer";

export function findPgbouncer(): boolean {
  if (existsSync(program)) return true;
  const message = `there is no ${program}: the pooler was not tried (apt-get install pgbouncer)`;
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

/** The real pgbouncer in transaction mode, with fewer sessions than anyone would like. */
export async function startPgbouncer(
  folder: string,
  serverUrl: string,
  { sessions }: { sessions: number },
): Promise<TestPooler> {
  const server = new URL(serverUrl);
  const port = await freePort();
  const place = join(folder, "pgbouncer");
  await mkdir(place);
  const files = {
    "users.txt": `"${server.username}" "${decodeURIComponent(server.password)}"\n`,
    "pgbouncer.ini": `[databases]
* = host=${server.hostname} port=${server.port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(place, "users.txt")}
pool_mode = transaction
default_pool_size = ${sessions}
server_login_retry = 0
query_wait_timeout = 10
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text, { mode: 0o644 });
  // It refuses to run as root, and its user has to read what root wrote.
  await Promise.all([folder, place].map((each) => chmod(each, 0o755)));
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const url = Object.assign(new URL(serverUrl), { port: String(port), search: "?pooler=transaction" }).href;

  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(program, [...asUser, join(place, "pgbouncer.ini")], { stdio: "ignore" });
    await waitFor("the pooler answers", () => answers(url));
  };
  await start();
  return {
    url,
    start,
    stop: async () => {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
