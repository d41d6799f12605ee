import { expect, test } from "vitest";
import { type Account, AccountsPanel } from "../../src/web/overview/accounts.tsx";

const account: Account = {
  name: "acme",
  data_as_of: "2026-11-18 04:20:18+00",
  lag_seconds: 3,
  last_success_at: "2026-11-18 04:20:20+00",
  open_windows: 12,
  failed_windows: 0,
  quarantined: 0,
  state: "active",
  state_reason: null,
  state_since: null,
  coverage: {
    name: "acme",
    sync_start: "2026-08-01 00:00:00+00",
    planned_to: "2026-11-18 04:21:00+00",
    covered: [],
    covered_count: 1,
    gaps: [],
    gap_count: 0,
    share: 1,
  },
};

function read(gaps: { from: string; to: string }[], more: Partial<Account> = {}): string {
  const coverage = account.coverage && { ...account.coverage, gaps, gap_count: gaps.length, share: 0.04 };
  const panel = AccountsPanel({ accounts: [{ ...account, coverage, ...more }], zone: "UTC" });
  const html = (panel as { toString(): string }).toString();
  return html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

test("an account whose history is still being read is neither current nor complete", () => {
  const words = read([{ from: "2026-08-01 00:00:00+00", to: "2026-11-11 00:00:00+00" }]);
  expect(words).toContain("reading history, 4 %");
  expect(words).not.toMatch(/ current (?!their)|2026-11-18 04:20/);
});

test("a gap that nothing reads is named, and what lies before it is complete", () => {
  const words = read([{ from: "2026-10-01 00:00:00+00", to: "2026-10-02 00:00:00+00" }], { open_windows: 0 });
  expect(words).toContain("has gaps 2026-10-01 00:00");
});

test("the time that is just being read is not a gap", () => {
  const words = read([{ from: "2026-11-18 04:20:18+00", to: "2026-11-18 04:21:00+00" }]);
  expect(words).toMatch(/current .*2026-11-18 04:20/);
});
