import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout erase`, `backup` and `reader`: erasing, backing up and reading the data. */
export function addDataCommands(program: Command, onDifferences: () => void): void {
  addErase(program);
  addBackup(program, onDifferences);
  addReader(program);
}

function addErase(program: Command): void {
  program
    .command("erase")
    .description("propose to replace the personal data of a wallet or a transaction everywhere, permanently")
    .option("--wallet <address>", "the personal data of this wallet")
    .option("--transaction <id>", "the personal data of this transaction")
    .option("--account <name>", "the account; required if there are several")
    .option("--reason <text>", "why, for the audit log")
    .option("--as <email>", "the person who proposes it; someone else approves it")
    .option("--dry-run", "say how many rows would change and where, and change nothing", false)
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        "tieout erase --wallet 0x52908400098527886E0F7030069857D2E4169EE7 --dry-run",
        'tieout erase --transaction 01KE8A2 --account eu --reason "request 4711" --as anna@example.com',
      ),
    )
    .action(later(async () => (await import("./erase.ts")).eraseCommand));
}

function addBackup(program: Command, onDifferences: () => void): void {
  const backup = program
    .command("backup")
    .description("copy the embedded Postgres now, and remove the oldest copies")
    .option("--json", "print the result as JSON", false)
    .addHelpText(...examples("tieout backup", "BACKUP_DIR=/mnt/backups tieout backup --json"))
    .action(later(async () => (await import("./backup.ts")).backupCommand));
  backup
    .command("check [place]")
    .description(
      "restore a backup (a folder or an s3:// address; default: the newest) into a scratch cluster and verify it there",
    )
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples("tieout backup check", "tieout backup check /mnt/backups/backup-2026-11-16T02-00-00Z"),
    )
    .action(later(async () => (await import("./backup.ts")).checkBackupCommand, onDifferences));
  backup
    .command("restore <place>")
    .description("restore a backup (a folder or an s3:// address) to TIEOUT_DATA_DIR, which must be empty")
    .addHelpText(
      ...examples(
        "TIEOUT_DATA_DIR=./restored tieout backup restore .tieout/backups/backup-2026-11-16T02-00-00Z",
        "TIEOUT_DATA_DIR=/srv/tieout tieout backup restore s3://bucket/tieout/backups/backup-2026-11-16T02-00-00Z",
      ),
    )
    .action(later(async () => (await import("./backup.ts")).restoreCommand));
}

function addReader(program: Command): void {
  const reader = program
    .command("reader")
    .description("give people SQL access to the `reporting` schema, each with a login of their own")
    .addHelpText(...examples("tieout reader add anna --accounts eu,us", "tieout reader list"));
  reader
    .command("add <name>")
    .description("create a login and print its connection string, once")
    .option("--accounts <names>", "the accounts it sees, comma-separated (default: all)")
    .option(
      "--wallets",
      "show wallet addresses, original rows and unknown fields, which are otherwise hidden",
      false,
    )
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        "tieout reader add anna --accounts eu,us",
        "tieout reader add auditor_2026 --wallets --json > auditor.json",
      ),
    )
    .action(later(async () => (await import("./reader.ts")).addReaderCommand));
  reader
    .command("list")
    .description("list the logins and what they see")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout reader list", "tieout reader list --json"))
    .action(later(async () => (await import("./reader.ts")).listReadersCommand));
  reader
    .command("remove <name>")
    .description("remove a login and close its open sessions")
    .addHelpText(...examples("tieout reader remove anna", "tieout reader remove tieout_reader_anna"))
    .action(later(async () => (await import("./reader.ts")).removeReaderCommand));
}
