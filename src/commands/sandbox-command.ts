import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout sandbox`. */
export function addSandboxCommand(program: Command): void {
  program
    .command("sandbox")
    .description("run a simulated aggregator on this machine; see docs/sandbox.md for details")
    .option("--host <address>", "address to listen on; 0.0.0.0 for all (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 picks a free one (default: 4010)")
    .option("--public-url <address>", "address for links, if it differs from the one listened on")
    .option("--accounts <file>", "file with several accounts: keys, providers, limits")
    .option("--api-key <key>", "key of the account (default: pk_sandbox)")
    .option("--api-secret <secret>", "secret of the account (default: sk_sandbox)")
    .option("--api-secret-file <file>", "file with the secret")
    .option("--seed <text>", "seed that the world and its history are generated from (default: tieout)")
    .option("--transactions <count>", "transactions in the history (default: 10000)")
    .option("--from <time>", "start of the history (default: 90 days before its end)")
    .option("--to <time>", "end of the history (default: today, 00:00 UTC)")
    .option("--live", "keep adding transactions after the end of the history", false)
    .option("--latency-ms <ms>", "approximate delay of every /transactions response")
    .option("--faults <list>", "what goes wrong, and how often: 429=0.05,quotes:5xx=0.1,outage=moonpay")
    .option("--faults-file <file>", "the same from a file, one per line")
    .option(
      "--control",
      "open /sandbox/control, where dialect and faults can be changed while it runs",
      false,
    )
    .option(
      "--dialect <list>",
      "how to behave where the specification is silent: last-cursor=null,window=creation",
    )
    .option("--time-scale <factor>", "how much faster than the clock a checkout moves (default: 60)")
    .option("--session-life <duration>", "how long a checkout stays open (default: 10m)")
    .option("--country <code>", "country for addresses without one, such as this machine's (default: US)")
    .option("--address-countries <list>", "countries of addresses: 127.0.0.2=DE,10.1.0.0/16=BR")
    .option("--trust-proxy", "take the caller's address from X-Forwarded-For", false)
    .option("--country-header <name>", "header in which that proxy names the country")
    .option("--quote-errors", "list providers that cannot quote among the quotes, with their reasons", false)
    .option("--echo-fields", "send partnerContext in records", false)
    .option("--webhook-url <address>", "where events about checkouts go")
    .option("--webhook-secret <secret>", "secret that signs them: whsec_ and base64")
    .option("--webhook-secret-file <file>", "file with that secret")
    .option("--data-dir <folder>", "where checkouts are kept (default: sandbox in TIEOUT_DATA_DIR)")
    .option("--json", "print the addresses as JSON when ready", false)
    .addHelpText(
      ...examples(
        "tieout sandbox",
        "tieout sandbox --port 4011 --transactions 10000000 --from 2026-01-01 --to 2026-07-01 --faults 429=0.05",
      ),
    )
    .action(later(async () => (await import("./sandbox.ts")).runSandbox));
}
