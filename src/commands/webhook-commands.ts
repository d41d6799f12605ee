import { type Command, Option } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout webhooks …`. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command("webhooks")
    .description("manage the endpoints that events are sent to")
    .addHelpText(
      ...examples("tieout webhooks create --url https://example.com/hooks", "tieout webhooks list"),
    );

  webhooks
    .command("create")
    .description("add an endpoint and print its secret")
    .requiredOption("--url <address>", "where events are sent: https")
    .option("--event <types...>", "types of events (default: all)")
    .option("--account <names...>", "accounts whose events it gets (default: all)")
    .option("--description <text>", "who owns it and what it is for", "")
    .option("--json", "print the endpoint with its secret as JSON", false)
    .addHelpText(
      ...examples(
        "tieout webhooks create --url https://example.com/hooks",
        "tieout webhooks create --url https://example.com/hooks --event discrepancy.raised payout.declared --json",
      ),
    )
    .action(later(async () => (await import("./webhooks.ts")).createWebhook));

  webhooks
    .command("list")
    .description("list endpoints and how they are doing")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout webhooks list", "tieout webhooks list --json"))
    .action(later(async () => (await import("./webhooks.ts")).listWebhooks));

  webhooks
    .command("deliveries <id>")
    .description("list what was sent or is waiting to be sent to an endpoint, newest first")
    .addOption(
      new Option("--state <state>", "only those in this state").choices(["pending", "delivered", "failed"]),
    )
    .option("--json", "print them as JSON", false)
    .addHelpText(
      ...examples(
        "tieout webhooks deliveries wh_3f9e2b81aa04",
        "tieout webhooks deliveries wh_3f9e2b81aa04 --state failed --json",
      ),
    )
    .action(later(async () => (await import("./webhooks.ts")).listWebhookDeliveries));

  webhooks
    .command("test <id>")
    .description("send an event of type webhook.test")
    .addHelpText(...examples("tieout webhooks test wh_3f9e2b81aa04", "tieout webhooks test 3f9e2b81aa04"))
    .action(later(async () => (await import("./webhooks.ts")).testWebhook));

  webhooks
    .command("rotate <id>")
    .description("give an endpoint a new secret and print it")
    .option("--overlap <duration>", "how long both secrets are used to sign", "1d")
    .addHelpText(
      ...examples(
        "tieout webhooks rotate wh_3f9e2b81aa04",
        "tieout webhooks rotate wh_3f9e2b81aa04 --overlap 12h",
      ),
    )
    .action(later(async () => (await import("./webhooks.ts")).rotateWebhook));

  webhooks
    .command("replay <id>")
    .description("send events again, including those missed while the endpoint was disabled")
    .option("--from <time>", "events from this time on")
    .option("--to <time>", "events before this time")
    .option("--all", "include those that were delivered", false)
    .addHelpText(
      ...examples(
        "tieout webhooks replay wh_3f9e2b81aa04",
        "tieout webhooks replay wh_3f9e2b81aa04 --from 2026-11-01T00:00:00Z --all",
      ),
    )
    .action(later(async () => (await import("./webhooks.ts")).replayWebhook));

  webhooks
    .command("remove <id>")
    .description("remove an endpoint and everything waiting for it")
    .addHelpText(...examples("tieout webhooks remove wh_3f9e2b81aa04", "tieout webhooks remove 3f9e2b81aa04"))
    .action(later(async () => (await import("./webhooks.ts")).removeWebhook));
}
