import { spawn } from "node:child_process";
import { once } from "node:events";

export interface SandboxProcess {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  from: string;
  to: string;
  stop(): Promise<void>;
}

/** The sandbox in a process of its own, so that it does not share our event loop. */
export async function startSandboxProcess(flags: string[], dataDir: string): Promise<SandboxProcess> {
  const args = ["dist/tieout.js", "sandbox", "--json", "--port", "0", "--data-dir", dataDir, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes("\n")) break;
  }
  const ready = JSON.parse(said) as Omit<SandboxProcess, "stop" | "apiSecret">;
  return {
    ...ready,
    apiSecret: "sk_sandbox",
    stop: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
