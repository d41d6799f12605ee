import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { SandboxFlags } from "./sandbox-options.ts";

/** `tieout sandbox`. The work itself is loaded when it is asked for. */
export function addSandboxCommand(program: Command, examples: (...lines: string[]) => string): void {
  program
    .command("sandbox")
    .description("run the aggregator as a local service; docs/sandbox.md tells all of it")
    .option("--host <address>", "address to listen on; 0.0.0.0 for all (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 takes a free one (default: 4010)")
    .option("--public-url <address>", "address that links lead to, when it is another")
    .option("--accounts <file>", "file with several accounts: keys, providers, limits")
    .option("--api-key <key>", "key of the account (default: pk_sandbox)")
    .option("--api-secret <secret>", "secret of the account (default: sk_sandbox)")
    .option("--api-secret-file <file>", "file with the secret")
    .option("--seed <text>", "what the world and its history are made from (default: tieout)")
    .option("--transactions <count>", "transactions in the history (default: 10000)")
    .option("--from <time>", "start of the history (default: 90 days before its end)")
    .option("--to <time>", "end of the history (default: today, 00:00 UTC)")
    .option("--live", "transactions go on arriving after the end", false)
    .option("--latency-ms <ms>", "every answer of /transactions waits about so long")
    .option("--faults <list>", "what goes wrong, and how often: 429=0.05,quotes:5xx=0.1,outage=moonpay")
    .option("--faults-file <file>", "the same from a file, one on each line")
    .option("--control", "open /sandbox/control, where all of that can be changed while it runs", false)
    .option("--dialect <list>", "what the specification leaves open: last-cursor=null,window=creation")
    .option("--time-scale <factor>", "how much faster than the clock a checkout moves (default: 60)")
    .option("--session-life <duration>", "how long a checkout can be decided (default: 10m)")
    .option("--country <code>", "country of addresses without one, such as this machine's (default: US)")
    .option("--address-countries <list>", "which addresses are where: 127.0.0.2=DE,10.1.0.0/16=BR")
    .option("--trust-proxy", "take the caller's address from X-Forwarded-For", false)
    .option("--country-header <name>", "header in which that proxy names the country")
    .option("--quote-errors", "list providers that cannot quote among the quotes, with their reasons", false)
    .option("--echo-fields", "send partnerContext in records", false)
    .option("--webhook-url <address>", "where events about checkouts go")
    .option("--webhook-secret <secret>", "what they are signed with: whsec_ and base64")
    .option("--webhook-secret-file <file>", "file with that secret")
    .option("--data-dir <folder>", "where checkouts are kept (default: sandbox in TIEOUT_DATA_DIR)")
    .option("--json", "print the addresses as JSON when ready", false)
    .addHelpText(
      "after",
      examples(
        "tieout sandbox",
        "tieout sandbox --port 4011 --transactions 10000000 --from 2026-01-01 --to 2026-07-01 --faults 429=0.05",
      ),
    )
    .action(async (flags: SandboxFlags) => {
      const { runSandbox } = await import("./sandbox.ts");
      await runSandbox(createContext(), flags);
    });
}
