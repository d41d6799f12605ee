import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { variableNames } from "../src/config.ts";
import { runTieout } from "./support/run-tieout.ts";

/** There is no Docker engine here, so these files are read instead of run; what they say is held to what we promise. */
interface ComposeService {
  image: string;
  command?: string[];
  profiles?: string[];
  network_mode?: string;
  environment?: Record<string, string>;
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
  ports?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  mem_limit?: string;
  pids_limit?: number;
}

const compose = parse(readFileSync("docker-compose.yml", "utf8"), { merge: true }) as {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
  configs: Record<string, { content: string }>;
};
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const services = Object.entries(compose.services);
const commands: Record<string, string> = { migrate: "migrate", api: "serve", worker: "work" };
const ours = services.filter(([name]) => name in commands);

/** A name, an exact version and a digest: `postgres:18` or `latest` would change under us, and so may any tag. */
const pinned = /^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)*@sha256:[0-9a-f]{64}$/;

describe("docker-compose.yml", () => {
  test("has the two engines, one migration, one API and the workers", () => {
    expect(services.map(([name]) => name).toSorted()).toEqual([
      "api",
      "migrate",
      "postgres",
      "redis",
      "sandbox",
      "sandbox-worker",
      "worker",
    ]);
  });

  test("pins every image, and ours to the version of the package", () => {
    const own = `tieout:${manifest.version}`;
    expect(services.filter(([, { image }]) => image !== own && !pinned.test(image))).toEqual([]);
    for (const [, { image }] of ours) expect(image).toBe(own);
  });

  test.each(ours)("%s runs one of our commands", (name, { command }) => {
    expect(command).toEqual([commands[name]]);
  });

  test.each(ours)("%s sets only variables that the program reads", (_, { environment = {} }) => {
    expect(Object.keys(environment)).toContain("DATABASE_URL");
    expect(Object.keys(environment).filter((name) => !variableNames.includes(name))).toEqual([]);
  });

  test.each(ours)("%s can change nothing but /tmp, and may do nothing special", (_, service) => {
    expect(service).toMatchObject({
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/) as string,
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
    });
  });

  test.each(services)("%s gains no privileges", (_, { security_opt }) => {
    expect(security_opt).toEqual(["no-new-privileges:true"]);
  });

  test.each(services.filter(([name]) => name !== "migrate"))("%s says whether it is well", (_, service) => {
    expect(service.healthcheck?.disable ?? false).toBe(false);
    expect(service.healthcheck?.test?.length).toBeGreaterThan(1);
  });

  test.each(["worker", "sandbox-worker"])("%s is asked on the port that it was given", (name) => {
    const { environment = {}, healthcheck } = compose.services[name] ?? {};
    expect(healthcheck?.test?.join(" ")).toContain(`http://127.0.0.1:${environment["WORK_PORT"]}/readyz`);
  });

  test("nobody works on a database that is not migrated", () => {
    expect(compose.services["migrate"]?.depends_on?.["postgres"]?.condition).toBe("service_healthy");
    for (const name of ["api", "worker"]) {
      expect(compose.services[name]?.depends_on).toMatchObject({
        migrate: { condition: "service_completed_successfully" },
        redis: { condition: "service_healthy" },
      });
    }
  });

  test("the sandbox and its reader come with their profile only, and meet on one loopback", async () => {
    const { sandbox, "sandbox-worker": reader, ...others } = compose.services;
    expect([sandbox?.profiles, reader?.profiles]).toEqual([["sandbox"], ["sandbox"]]);
    expect(Object.values(others).filter(({ profiles }) => profiles !== undefined)).toEqual([]);
    expect(reader).toMatchObject({ network_mode: "service:sandbox", command: ["work"], read_only: true });
    expect(reader?.networks).toBeUndefined();
    expect(sandbox?.ports).toEqual(["127.0.0.1:4010:4010"]);
    // The very command, with another port and folder: a flag that the program does not have would be refused.
    const [, ...flags] = sandbox?.command ?? [];
    const { stdout } = await runTieout(["sandbox", "--help"]);
    expect(flags.filter((flag) => flag.startsWith("--") && !stdout.includes(` ${flag} `))).toEqual([]);
  });

  test("Redis keeps what it was given", () => {
    const command = compose.services["redis"]?.command?.join(" ");
    expect(command).toContain("--maxmemory-policy noeviction");
    expect(command).toContain("--appendonly yes");
  });

  test("data lies in named volumes", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(":")[0] ?? ""),
    );
    expect([...new Set(mounts)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    // Exports are written by workers and handed out by the API, whose own file system is read-only.
    for (const name of ["api", "worker", "sandbox-worker"]) {
      expect(compose.services[name]?.volumes).toEqual(["tieout-data:/data"]);
      expect(compose.services[name]?.environment?.["TIEOUT_DATA_DIR"]).toBe("/data");
    }
  });

  test.each(services)("%s has a bound on its memory and its processes", (_, service) => {
    expect(service.mem_limit).toMatch(/^\d+[gm]$/);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  test("the running service owns nothing, and only the migration is the owner", () => {
    const userOf = (name: string) =>
      /^postgres:\/\/(\w+):/.exec(compose.services[name]?.environment?.["DATABASE_URL"] ?? "")?.[1];
    expect(["migrate", "api", "worker", "sandbox-worker"].map(userOf)).toEqual([
      "tieout",
      "tieout_service",
      "tieout_service",
      "tieout_service",
    ]);
    const made = compose.configs["make-roles"]?.content ?? "";
    expect(made).toContain("create role tieout login createrole password");
    expect(made).toContain("create role tieout_service login password");
    expect(made).not.toMatch(/superuser/i);
  });

  test("everyone has a password, and only what they need", () => {
    expect(compose.services["redis"]?.command?.join(" ")).toContain('--requirepass "$$REDIS_PASSWORD"');
    const secretsOf = (name: string) =>
      Object.keys(compose.services[name]?.environment ?? {}).filter((each) =>
        /SECRET|_KEY|PASSWORD/.test(each),
      );
    expect(secretsOf("api")).toEqual([]);
    expect(secretsOf("migrate")).toEqual([]);
    expect(secretsOf("worker")).toEqual(["UPSTREAM_API_KEY", "UPSTREAM_API_SECRET"]);
    for (const name of ["api", "worker"]) {
      expect(compose.services[name]?.environment?.["REDIS_URL"]).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?/);
      expect(JSON.stringify(compose.services[name]?.environment)).not.toMatch(
        /POSTGRES_PASSWORD|OWNER_PASSWORD/,
      );
    }
  });

  test("the engines are reached from inside only, the API from this machine only", () => {
    for (const name of ["postgres", "redis"]) {
      expect(compose.services[name]).toMatchObject({ networks: ["data"] });
      expect(compose.services[name]?.ports).toBeUndefined();
    }
    expect(compose.networks["data"]?.internal).toBe(true);
    expect(compose.services["api"]?.environment?.["HOST"]).toBe("0.0.0.0");
    expect(compose.services["api"]?.ports).toEqual(["127.0.0.1:8080:8080"]);
  });

  test("holds no secret", () => {
    const passwords =
      readFileSync("docker-compose.yml", "utf8").match(/\w*(PASSWORD|SECRET|_KEY): .+/g) ?? [];
    expect(passwords.length).toBeGreaterThan(2);
    expect(passwords.filter((line) => !/: \$\{\w+:[?-][^}]*\}$/.test(line))).toEqual([]);
    expect(compose.services["api"]?.environment?.["DATABASE_URL"]).toMatch(
      /\/\/tieout_service:\$\{SERVICE_PASSWORD:\?/,
    );
  });
});

const dockerfile = readFileSync("Dockerfile", "utf8").replaceAll("\\\n", "");
const stages = dockerfile
  .split(/^(?=FROM )/m)
  .slice(1)
  .map((text) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
const [build = [], final = []] = stages;

describe("Dockerfile", () => {
  test("builds in one stage and runs in another, both of one pinned base", () => {
    expect(stages.length).toBe(2);
    const bases = stages.map(([from = ""]) => from.split(" ")[1] ?? "");
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(pinned);
  });

  test("development packages end with the stage that needs them", () => {
    const runs = build.filter((line) => line.startsWith("RUN "));
    expect(runs[0]).toBe("RUN npm ci");
    expect(runs[1]).toBe("RUN npm run build");
    expect(runs[2]).toMatch(/^RUN npm ci --omit=dev /);
    expect(final.filter((line) => line.startsWith("RUN "))).toEqual([]);
  });

  test("the image holds what the program reads, and nothing of this machine", () => {
    const copies = final.filter((line) => line.startsWith("COPY "));
    expect(copies.every((line) => /^COPY --from=build (--chown=1000:1000 )?\/app\//.test(line))).toBe(true);
    expect(copies.map((line) => line.split(" ").at(-2)?.replace("/app/", "") ?? "").toSorted()).toEqual([
      "data",
      "dist",
      "migrations",
      "node_modules",
      "package.json",
      "src/web/assets",
    ]);
    const allowed =
      readFileSync(".dockerignore", "utf8")
        .match(/^!.+$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    const taken = build
      .filter((line) => line.startsWith("COPY "))
      .flatMap((line) => line.split(" ").slice(1, -1));
    expect(taken.toSorted()).toEqual(allowed.toSorted());
    expect(taken.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("runs for production, as an ordinary user, with our program as its entry", () => {
    expect(final).toContain("ENV NODE_ENV=production");
    const user = final.findIndex((line) => /^USER [1-9]\d*:[1-9]\d*$/.test(line));
    expect(user).toBeGreaterThan(0);
    expect(final.slice(user).some((line) => line.startsWith("COPY "))).toBe(false);
    expect(final).toContain('ENTRYPOINT ["node", "dist/tieout.js"]');
  });

  test("its health check passes while the API lives, and fails otherwise", async () => {
    const line = final.find((one) => one.startsWith("HEALTHCHECK ")) ?? "";
    const [, ...args] = JSON.parse(line.slice(line.indexOf("["))) as string[];
    let status = 200;
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status, { connection: "close" }).end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as { port: number };
    expect(await exitCode(args, port)).toBe(0);
    status = 500;
    expect(await exitCode(args, port)).toBe(1);
    await new Promise((resolve) => server.close(resolve));
    expect(await exitCode(args, port)).toBe(1);
    expect(asked).toEqual(["/livez", "/livez"]);
  });
});

async function exitCode(args: string[], port: number): Promise<unknown> {
  const child = spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: "ignore" });
  const [code] = (await once(child, "close")) as unknown[];
  return code;
}
