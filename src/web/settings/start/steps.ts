import { counted } from "../../../core/counted.ts";
import type { Onboarding } from "../../../store/accounts/onboarding.ts";

interface Step {
  name: string;
  isDone: boolean;
  /** What the tables say about it. */
  says: string;
  href: string;
  link: string;
}

/** The way from an empty service to a closed month, in the order in which it is walked. */
export function stepsOf(found: Onboarding): Step[] {
  const { accounts, statements, providers, providersSet, people, monthsClosed } = found;
  const silent = accounts.filter(({ answered, trouble }) => !answered || trouble !== null);
  const share = Math.min(1, ...accounts.map((account) => account.share));
  return [
    {
      name: "Connect the aggregator",
      isDone: accounts.length > 0 && silent.length === 0,
      says: connectionWords(accounts.length, silent),
      href: "#connection",
      link: "Test the connection",
    },
    {
      name: "Read the history",
      isDone: accounts.length > 0 && share === 1,
      // Never 100 before it is: a gap of a minute is a gap.
      says: `${Math.min(share === 1 ? 100 : 99, Math.floor(share * 100))} % of the time since the start has been read.`,
      href: "/sync",
      link: "Watch it on Sync",
    },
    {
      name: "Import the first statement",
      isDone: statements > 0,
      says: statements === 0 ? "None has been imported yet." : `${statements} imported.`,
      href: "/statements",
      link: "Import one",
    },
    {
      name: "Set when providers settle",
      isDone: providersSet > 0,
      says: `Settings for ${providersSet} of ${counted(providers, "provider")}; the defaults apply to the rest.`,
      href: "/settings/providers",
      link: "Review them",
    },
    {
      name: "Invite people",
      isDone: people > 1,
      says:
        people > 1
          ? `${counted(people, "person", "people")}.`
          : "Closing a month takes two people, and you are one.",
      href: "/people",
      link: "Invite someone",
    },
    {
      name: "Close the first month",
      isDone: monthsClosed > 0,
      says: monthsClosed === 0 ? "None is closed yet." : `${monthsClosed} closed.`,
      href: "/close",
      link: "See what is missing",
    },
  ];
}

function connectionWords(count: number, silent: Onboarding["accounts"]): string {
  if (count === 0) return "No account is configured: set UPSTREAM_BASE_URL, or TIEOUT_ACCOUNTS_FILE.";
  const [first] = silent;
  if (first === undefined) return count === 1 ? "It answers." : `All ${counted(count, "account")} answer.`;
  return `${first.name}: ${first.trouble ?? "no answer yet."}`;
}
