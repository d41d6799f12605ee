import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { changesText } from "../../core/changes-text.ts";
import { listActiveNames } from "../../store/people/people.ts";
import { askApi } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { longWaitMs } from "../kept-figures.ts";
import { show } from "../layout.tsx";
import { Empty, Panel, TitleRow } from "../parts/blocks.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given, Nothing, Time } from "../parts/show.tsx";
import { ApproveForm, CarryForm, PrepareForm, ReopenForm } from "./forms.tsx";
import { shownState } from "./cell.ts";
import { keptDetail } from "./kept-detail.ts";
import {
  readWaitingMonths,
  SecondSignature,
  type WaitingMonth,
  waitingMonthOf,
} from "./second-signature.tsx";
import { Amounts, CheckChip, packPath, periodPath, StateChip } from "./parts.tsx";

/** One month: its checklist, what was accepted, who signed, and the next step. */
export async function showMonth(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const found = await findMonth(web, c, visitor);
  const patience = patienceOf(c);
  // A form that was refused is shown once: its reason cannot follow later, and the checklist it was sent from is good enough.
  const isRefused = visitor.refused !== null;
  const waitMs = isRefused ? longWaitMs : patience.waitMs;
  const [period, people, waiting] = await Promise.all([
    keptDetail(web, c, visitor, found, { waitMs, freshOnly: !isRefused }),
    listActiveNames(visitor.reader, { seeing: [found.account] }),
    readWaitingMonths(visitor),
  ]);
  const path = periodPath(found);
  return show(web, c, visitor, {
    title: `Close ${found.month}`,
    under: "/close",
    children: (
      <>
        <TitleRow title={`${found.account}, ${found.month}`}>
          <StateChip state={found.state} /> <a href="/close">All months</a>
        </TitleRow>
        <Follows id="month-part" from={period === null && !patience.isLong ? `${path}&wait=true` : null}>
          {period === null ? (
            <div data-until-fetched>
              <Empty title="The checklist is still being computed">
                {patience.isLong && <a href={`${path}&wait=true`}>Keep waiting</a>}
              </Empty>
            </div>
          ) : (
            <Month
              period={period}
              visitor={visitor}
              people={people.map(({ name }) => name)}
              waiting={waitingMonthOf(waiting, found)}
            />
          )}
        </Follows>
      </>
    ),
  });
}

/** Without its checklist, which may take long. The API says what is wrong with an account or a month. */
async function findMonth(web: Web, c: WebContext, visitor: Visitor): Promise<PresentedPeriod> {
  const month = c.req.param("month") ?? "";
  const account = c.req.query("account");
  const { data } = await askApi<{ data: PresentedPeriod[] }>(web, c, visitor, "/v1/periods");
  const [found, ...others] = data.filter(
    (period) => period.month === month && (account === undefined || period.account === account),
  );
  if (found !== undefined && others.length === 0) return found;
  const query = new URLSearchParams(account === undefined ? {} : { account });
  return askApi<PresentedPeriodDetail>(web, c, visitor, `/v1/periods/${encodeURIComponent(month)}`, {
    query,
  });
}

interface MonthProps {
  period: PresentedPeriodDetail;
  visitor: Visitor;
  /** Who open errors may be carried forward to. */
  people: readonly string[];
  /** It has one of two signatures. */
  waiting: WaitingMonth | null;
}

function Month(month: MonthProps) {
  const { period, visitor, waiting } = month;
  const { zone } = visitor.preferences;
  return (
    <>
      <Signatures period={period} zone={zone} waiting={waiting} />
      <Panel title="Checklist" id="checklist">
        <Checklist period={period} />
      </Panel>
      {may(visitor, "reconcile:write") && <NextStep {...month} />}
      <Panel title="History" id="history">
        <History period={period} zone={zone} />
      </Panel>
    </>
  );
}

function Signatures({ period, zone, waiting }: Pick<MonthProps, "period" | "waiting"> & { zone: string }) {
  const { prepared, closed, known_at: knownAt } = period;
  const asked = waiting?.first.event === "reopen_asked" ? waiting.first : null;
  return (
    <>
      {prepared !== null && (
        <p>
          Prepared by <Given text={prepared.name} /> <Time at={prepared.at} zone={zone} />
          {closed !== null && (
            <>
              , approved by <Given text={closed.name} /> <Time at={closed.at} zone={zone} />
            </>
          )}
          . Its figures are those known at <Time at={knownAt} zone={zone} exact />.{" "}
          <a href={packPath(period)}>Download the pack</a>
        </p>
      )}
      {asked !== null && (
        <p class="warning">
          <Given text={asked.name} /> asks to reopen this month (<Given text={asked.reason} whole />
          ). Another person has to agree.
        </p>
      )}
      {period.changes.length > 0 && (
        <p class="warning">
          This has changed since it was prepared, so the signature lapses and the month has to be prepared
          again: <Given text={changesText(period.changes)} />
        </p>
      )}
    </>
  );
}

function Checklist({ period }: { period: PresentedPeriodDetail }) {
  const reasons = new Map(period.accepted.map(({ line, reason }) => [line, reason]));
  return (
    <ListTable
      label="Checklist"
      class="whole"
      rows={period.checklist.lines}
      columns={[
        { title: "Line", rowName: (line) => <a href={line.link}>{line.title}</a> },
        { title: "State", show: (line) => <CheckChip state={stateOf(line, reasons)} /> },
        { title: "Result", show: (line) => line.says },
        { title: "Open", figures: (line) => (line.left === 0 ? <Nothing /> : <Count of={line.left} />) },
        {
          title: "Open amount",
          show: (line) => <Amounts amounts={line.parts.flatMap(({ amounts }) => amounts)} />,
        },
        {
          title: "Carried forward",
          show: (line) => <Amounts amounts={line.parts.flatMap((part) => part.carried_amounts ?? [])} />,
        },
        {
          title: "Accepted because",
          show: (line) =>
            reasons.has(line.line) ? <Given text={reasons.get(line.line) ?? ""} whole /> : <Nothing />,
        },
      ]}
    />
  );
}

function stateOf(
  { line, state, left, parts }: PresentedPeriodDetail["checklist"]["lines"][number],
  accepted: ReadonlyMap<string, string>,
) {
  if (state === "red" && accepted.has(line)) return "accepted";
  const carried = parts.reduce((sum, part) => sum + Number(part.figures["carried"] ?? 0), 0);
  return shownState({ state, left, carried });
}

function NextStep({ period, visitor, people, waiting }: MonthProps) {
  const { state, changes } = period;
  return (
    <Panel title="Next step" id="next-step">
      {(state === "open" || state === "reopened" || changes.length > 0) && (
        <>
          <PrepareForm period={period} visitor={visitor} />
          <CarryForm period={period} visitor={visitor} people={people} />
        </>
      )}
      {state === "prepared" && changes.length === 0 && (
        <SecondSignature
          waiting={waiting}
          visitor={visitor}
          again={<PrepareForm period={period} visitor={visitor} />}
        >
          <ApproveForm period={period} visitor={visitor} />
        </SecondSignature>
      )}
      {state === "closed" && <Reopening period={period} visitor={visitor} waiting={waiting} />}
    </Panel>
  );
}

function Reopening({ period, visitor, waiting }: Omit<MonthProps, "people">) {
  if (waiting === null && !may(visitor, "approvals:write")) {
    return <p>Two people with the role controller can reopen it: one asks, and another agrees.</p>;
  }
  return (
    <SecondSignature
      waiting={waiting}
      visitor={visitor}
      again={<ReopenForm period={period} visitor={visitor} button="Ask again" />}
    >
      <ReopenForm
        period={period}
        visitor={visitor}
        button={waiting === null ? "Ask to reopen" : "Agree to reopen"}
      />
    </SecondSignature>
  );
}

function History({ period, zone }: { period: PresentedPeriodDetail; zone: string }) {
  if (period.events.length === 0)
    return <Empty title="Not signed yet">The first signature is given when the month is prepared.</Empty>;
  return (
    <ListTable
      label="History"
      rows={period.events.toReversed()}
      columns={[
        { title: "When", rowName: (event) => <Time at={event.at} zone={zone} /> },
        { title: "What", show: (event) => event.event.replaceAll("_", " ") },
        { title: "Who", show: (event) => <Given text={event.name} /> },
        {
          title: "Reason",
          show: (event) => (event.reason === null ? <Nothing /> : <Given text={event.reason} whole />),
        },
        {
          title: "Pack",
          cellClass: "mono",
          show: (event) => <PackOf event={event} period={period} />,
        },
      ]}
    />
  );
}

/** Every close can be had again, also after it was reopened. */
function PackOf({
  event: { event, pack_sha256: sha256 },
  period,
}: {
  event: PresentedPeriodDetail["events"][number];
  period: PresentedPeriodDetail;
}) {
  if (sha256 === null) return <Nothing />;
  const text = sha256.slice(0, 16);
  return event === "approved" ? <a href={packPath(period, sha256)}>{text}</a> : <>{text}</>;
}
