import { problem } from "../../api/problem.ts";
import { listPartsOfLine } from "../../store/books/match-reads.ts";
import { linesAround, readLineOfStatement } from "../../store/statements/lines-of-statement.ts";
import { readLine } from "../../store/statements/statement-rows.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { withoutEmpty } from "../address.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { linePath } from "../parts/line-place.tsx";
import { Chip, Given, GivenLink } from "../parts/show.tsx";
import { CandidatesPanel } from "./candidates.tsx";
import {
  candidatesOf,
  discrepanciesOf,
  type LineAtWork,
  partCandidatesOf,
  transactionsOf,
} from "./line-at-work.ts";
import { LineFacts } from "./line-facts.tsx";
import { lineAddress, readLineFilters } from "./line-query.ts";
import { WorkList } from "./work-list.tsx";

/** One line beside what may stand against it: the neighbours left, the line in the middle, the candidates right. */
export async function showLine(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  statement: StoredStatement,
): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const lineNo = c.req.param("line") ?? "";
  const line = /^\d{1,9}$/.test(lineNo)
    ? await readLineOfStatement(visitor.reader, statement, Number(lineNo))
    : null;
  const detail = line === null ? null : await readLine(visitor.reader, line.line_id);
  if (line === null || detail === null) {
    throw problem("not_found", "This statement has no such line. Rejected rows have none.");
  }
  const query = lineAddress(address);
  const asked = address.get("find");
  const around = { lineNo: line.line_no, before: 12, after: 38 };
  const [neighbours, discrepancies, matchedWith, parts, candidates] = await Promise.all([
    linesAround(visitor.reader, statement, readLineFilters(address), around),
    discrepanciesOf(visitor, line),
    transactionsOf(visitor, statement, line),
    listPartsOfLine(visitor.reader, line.line_id),
    candidatesOf(visitor, statement, line, asked),
  ]);
  const partCandidates = await partCandidatesOf(visitor, statement, line, candidates);
  const following = neighbours.find((one) => one.line_no > line.line_no);
  const here = linePath(statement.id, line.line_no) + query;
  const work: LineAtWork = {
    statement,
    line,
    detail,
    discrepancies,
    matchedWith,
    parts,
    candidates,
    partCandidates,
    asked,
    here,
    hereAsked:
      asked === null
        ? here
        : `${here}${query === "" ? "?" : "&"}${new URLSearchParams({ find: asked }).toString()}`,
    next: following === undefined ? here : linePath(statement.id, following.line_no) + query,
  };
  return show(web, c, visitor, {
    title: `Line ${line.line_no} of ${statement.fileName.slice(0, 60)}`,
    under: "/statements",
    children: (
      <>
        <div class="title-row">
          <h1>
            <GivenLink href={`/statements/${statement.id}${query}`} text={statement.fileName} />
          </h1>
          <Chip tone={statement.state === "imported" ? "good" : "plain"}>{statement.state}</Chip>
          <p class="summary">
            <Given text={statement.provider} />, account <Given text={statement.account} />
          </p>
        </div>
        <div id="workspace" class="workspace">
          <WorkList lines={neighbours} current={line} statement={statement} query={query} />
          <LineFacts work={work} visitor={visitor} />
          <CandidatesPanel work={work} visitor={visitor} />
        </div>
      </>
    ),
  });
}
