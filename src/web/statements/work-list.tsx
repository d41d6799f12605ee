import type { LineOfStatement } from "../../store/statements/lines-of-statement.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { codeWords } from "../parts/discrepancy.tsx";
import { linePath } from "../parts/line-place.tsx";
import { Chip, Given, Money } from "../parts/show.tsx";
import { classWords } from "./line-query.ts";

/** What a partial update of the workspace takes from the answer: the workspace, and the notice above it. */
export const swapWorkspace = {
  "hx-target": "#workspace",
  "hx-select": "#workspace",
  "hx-select-oob": "#notice",
  "hx-swap": "outerHTML",
  "hx-push-url": "true",
} as const;

interface WorkListProps {
  lines: readonly LineOfStatement[];
  current: LineOfStatement;
  statement: StoredStatement;
  query: string;
}

/** The line and its neighbours in the chosen view: j and k walk through them, Enter opens one. */
export function WorkList({ lines, current, statement, query }: WorkListProps) {
  return (
    <nav class="work-list" aria-label="Lines">
      <ol class="queue" data-rows>
        {lines.map((line) => {
          const href = linePath(statement.id, line.line_no) + query;
          const isCurrent = line.line_no === current.line_no;
          return (
            <li class={isCurrent ? "queue-open" : undefined}>
              <a
                class="queue-item"
                href={href}
                hx-get={href}
                {...swapWorkspace}
                data-row-link
                data-current={isCurrent ? true : undefined}
                aria-current={isCurrent ? "true" : undefined}
              >
                <span class="queue-head">
                  <strong>
                    {line.line_no} {codeWords(line.line_type)}
                  </strong>
                  <Money amount={line.net_amount} currency={line.net_currency} />
                </span>
                <span class="queue-foot">
                  <Chip tone={classWords[line.class].tone}>{classWords[line.class].title.toLowerCase()}</Chip>
                  <Given text={line.provider_transaction_id} mono />
                </span>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
