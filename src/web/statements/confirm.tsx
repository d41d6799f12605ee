import { createHash } from "node:crypto";
import { counted } from "../../core/counted.ts";
import { problem, ProblemError } from "../../api/problem.ts";
import { listSuggestions } from "../../store/books/match-candidates.ts";
import {
  type LineOfStatement,
  type LineTotal,
  listLines,
  totalLines,
} from "../../store/statements/lines-of-statement.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { withoutEmpty } from "../address.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { bookedAtOf, textOf } from "../form-text.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { Empty, Panel, TitleRow } from "../parts/blocks.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { Button } from "../parts/button.tsx";
import { LinePlace } from "../parts/line-place.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Given, Time } from "../parts/show.tsx";
import { lineAddress, readLineFilters } from "./line-query.ts";

/** Each is judged by itself, with the provider's books held for as long as it takes. */
const confirmedMax = 50;

/** All suggestions of the chosen view at once: first how many, and what they come to. */
export async function showConfirm(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  statement: StoredStatement,
): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const filters = { ...readLineFilters(address), suggested: true };
  const [{ rows, hasMore }, totals] = await Promise.all([
    listLines(visitor.reader, statement, filters, { limit: confirmedMax, after: null }),
    totalLines(visitor.reader, statement, filters),
  ]);
  const suggestions = await listSuggestions(
    visitor.reader,
    rows.map((row) => row.line_id),
  );
  const shown = rows.map((row) => `${row.line_id}:${digestOf(suggestions.get(row.line_id))}`);
  const path = `/statements/${statement.id}`;
  const query = lineAddress(address);
  return show(web, c, visitor, {
    title: "Confirm suggested matches",
    under: "/statements",
    children: (
      <>
        <TitleRow title="Confirm suggested matches">
          <a href={path + query}>Back to the statement</a>
        </TitleRow>
        {rows.length === 0 ? (
          <Empty title="There are no suggested matches here">
            A suggestion is made where side, currency, amount and time agree, and nothing else could be meant.
          </Empty>
        ) : (
          <Panel title={`${counted(rows.length, "line")}${hasMore ? ", the first of more" : ""}`} id="sum">
            <MoneyOf totals={totals} />
            <Lines
              rows={rows}
              suggestions={suggestions}
              statement={statement}
              zone={visitor.preferences.zone}
            />
            <PostForm
              visitor={visitor}
              action="/statements/lines/confirm"
              id="confirm"
              back={`${path}/confirm${query}`}
            >
              <input type="hidden" name="statement" value={String(statement.id)} />
              <input type="hidden" name="lines" value={shown.join(" ")} />
              <BookedAtField visitor={visitor} form="confirm" />
              <ReasonField visitor={visitor} form="confirm" begin="suggestion confirmed" />
              <Button>Confirm {formatCount(rows.length)}</Button>
            </PostForm>
          </Panel>
        )}
      </>
    ),
  });
}

function MoneyOf({ totals }: { totals: readonly LineTotal[] }) {
  return (
    <ListTable
      label="Total value"
      class="keep"
      rows={totals}
      columns={[
        { title: "Current class", rowName: ({ class: name }) => name },
        { title: "Lines", figures: ({ lines }) => formatCount(lines) },
        { title: "Owed to us", money: ({ net, currency }) => ({ amount: net, currency }) },
      ]}
    />
  );
}

interface LinesProps {
  rows: readonly LineOfStatement[];
  suggestions: ReadonlyMap<number, string>;
  statement: StoredStatement;
  zone: string;
}

function Lines({ rows, suggestions, statement, zone }: LinesProps) {
  return (
    <ListTable
      label="Lines with a suggestion"
      rows={rows}
      data-rows
      columns={[
        {
          title: "Line",
          rowName: ({ line_no: lineNo }) => (
            <LinePlace statementId={statement.id} lineNo={lineNo} fileName={statement.fileName} />
          ),
        },
        { title: "Time", show: (row) => <Time at={row.effective_at} zone={zone} /> },
        {
          title: "Suggested transaction",
          show: (row) => <Given text={suggestions.get(row.line_id) ?? ""} mono />,
        },
        { title: "Gross", money: (row) => ({ amount: row.fiat_gross, currency: row.fiat_currency }) },
        { title: "Owed to us", money: (row) => ({ amount: row.net_amount, currency: row.net_currency }) },
      ]}
    />
  );
}

/**
 * Only the suggestions that were on the screen: a line whose suggestion is another by now is left alone, and counted. A
 * refusal, such as for a line that someone has just matched by hand, concerns one line: the others are confirmed.
 */
export async function confirmSuggestions(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  form: FormData,
): Promise<void> {
  const reason = textOf(form, "reason");
  if (reason === "") throw problem("invalid_parameter", "Give a reason. It is kept with every match.");
  const shown = textOf(form, "lines")
    .split(" ")
    .flatMap((text) => {
      const [, lineId, digest] = /^(\d{1,15}):([\w-]{1,43})$/.exec(text) ?? [];
      return lineId === undefined ? [] : [{ lineId: Number(lineId), digest }];
    })
    .slice(0, confirmedMax);
  let confirmed = 0;
  let changed = 0;
  const refusals: ProblemError[] = [];
  for (const { lineId, digest } of shown) {
    const suggested = (await listSuggestions(visitor.reader, [lineId])).get(lineId);
    if (suggested === undefined || digestOf(suggested) !== digest) {
      changed += 1;
      continue;
    }
    try {
      await askApi(web, c, visitor, "/v1/matches", {
        json: { line: `lin_${lineId}`, transaction_id: suggested, reason, ...bookedAtOf(form) },
      });
      confirmed += 1;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
      refusals.push(error);
    }
  }
  const [refusal] = refusals;
  if (refusal !== undefined && confirmed === 0) throw refusal;
  if (changed > 0 && confirmed === 0) {
    throw problem("version_mismatch", "The suggestions are no longer as they were shown. Check them again.");
  }
  const left = [
    `${formatCount(confirmed)} of ${counted(shown.length, "suggestion")} confirmed.`,
    ...(changed === 0 ? [] : [`No longer as shown, and left alone: ${formatCount(changed)}.`]),
    ...(refusal === undefined ? [] : [`Refused: ${formatCount(refusals.length)}. ${refusal.message}`]),
  ];
  leaveNotice(c, left.join(" "));
}

/** Ids of transactions may be long, and hold spaces. */
function digestOf(transactionId: string | undefined): string {
  return createHash("sha256")
    .update(transactionId ?? "")
    .digest("base64url")
    .slice(0, 16);
}
