import { openErrorsSql } from "../../../store/books/open-errors-sql.ts";
import { decimal, integer, text, time } from "../../column.ts";
import type { Report } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/** Row by row what the checklist of a month counts, and what carrying forward takes along. */
export const openErrors: Report = {
  ...shared.ofBooks,
  name: "open-errors",
  title: "Open errors",
  purpose:
    "All open errors about what happened before as_at. These are the errors that the checklist of a month counts.",
  grain: "One row per open error.",
  period: null,
  moment: "apart",
  filters: { provider: "x.provider", code: "x.code" },
  columns: [
    shared.account,
    shared.provider,
    text("code", "What disagrees: a closed list, see docs/reconciliation.md."),
    integer("discrepancy_id", "Our number for it; empty until a run has recorded it."),
    shared.transactionId,
    shared.providerTransactionId,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    time("happened_at", "When the order, line, receipt or period took place that it is about."),
    time(
      "since",
      "When the difference arose. An order is missing only once there is a statement without it, which may be after the month.",
    ),
    decimal("value", "The customer's order at stake.", { currency: "value_currency" }),
    text("value_currency", "Currency of value."),
    decimal("owed", "Our part of it.", { currency: "owed_currency" }),
    text("owed_currency", "Currency of owed."),
    text("owner", "Who is responsible for it."),
    text("carried_from", "The last month from which it was carried forward; empty if it never was."),
  ],
  totalsFirst: ["owed"],
  select: (scope) => {
    const knownAt = scope.knownAt();
    return `
    select a.name as account, x.*, d.id as discrepancy_id, life.owner, carried.month as carried_from, file.file_name, place.line_no
    from (${openErrorsSql({ accounts: scope.accounts(), knownAt, before: scope.asAt() })}
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    left join tieout.discrepancies as d on d.fingerprint = x.fingerprint and d.first_seen_at <= ${knownAt}
    left join lateral (
      select e.owner
      from tieout.discrepancy_events as e
      where e.discrepancy_id = d.id
        and e.at <= ${knownAt}
      order by e.id desc
      limit 1
    ) as life on true
    left join lateral (
      select max(c.month) as month
      from tieout.carried_discrepancies as c
      where c.discrepancy_id = d.id
        and c.at <= ${knownAt}
    ) as carried on true
    left join tieout.line_files_at(${knownAt}) as place on place.line_id = x.line_id
    left join tieout.statements as file on file.id = place.statement_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.code, r.happened_at, r.fingerprint",
};
