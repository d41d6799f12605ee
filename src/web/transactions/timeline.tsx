import type { Visitor } from "../deps.ts";
import { Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Given, Status, Time } from "../parts/show.tsx";
import type { StoryEvent } from "./story.ts";

/** The statuses in the aggregator's order, each with the time of its reading. */
export function Timeline({ events, visitor }: { events: readonly StoryEvent[]; visitor: Visitor }) {
  const { zone } = visitor.preferences;
  const statuses = events.filter(({ kind }) => kind === "status");
  return (
    <Panel title="Statuses" id="statuses">
      <ol class="timeline">
        {statuses.map((event) => (
          <li>
            <p>
              <Status status={event.status ?? ""} /> <Time at={event.at} zone={zone} exact />
            </p>
            <p class="muted">
              read <Time at={event.source.read_at ?? null} zone={zone} exact />
              {event.source.window !== undefined && ` by ${describeWindow(event.source.window)}`}
            </p>
            {(event.changes ?? []).length > 0 && (
              <ul class="changes">
                {event.changes?.map(({ field, before, after }) => (
                  <li>
                    <span class="muted">{field}</span> <Given text={before} /> → <Given text={after} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** All that happened, by whichever clock, and the source of each fact. */
export function StoryPanel({ events, visitor }: { events: readonly StoryEvent[]; visitor: Visitor }) {
  const { zone } = visitor.preferences;
  return (
    <Panel title="Story" id="story">
      <ListTable
        label="Story"
        caption={`Everything that happened to this transaction, in order, with its source. Times in ${zone}.`}
        rows={events}
        columns={[
          { title: "When", show: (event) => <Time at={event.at} zone={zone} exact /> },
          { title: "Clock", show: (event) => event.clock },
          { title: "What", rowName: (event) => <Given text={event.what} /> },
          { title: "Source", show: describeSource },
        ]}
      />
    </Panel>
  );
}

function describeSource({ source }: StoryEvent): string {
  const type = source.type.replaceAll("_", " ");
  if (source.file_name !== undefined) return `${source.file_name}, line ${source.line_no}`;
  if (source.discrepancy !== undefined) return `${type} ${source.discrepancy}`;
  return source.window === undefined ? type : `${type}, ${describeWindow(source.window)}`;
}

function describeWindow({ id, kind }: NonNullable<StoryEvent["source"]["window"]>): string {
  return `${kind ?? "a"} window ${id}`;
}
