import { eventTypes } from "../../core/event-types.ts";
import type { Child } from "hono/jsx";
import { listDeliveries, type DeliveryRow } from "../../store/notify/deliveries.ts";
import { type Endpoint, listEndpoints } from "../../store/notify/endpoints.ts";
import type { FilterChoices, Visitor, Web, WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Empty, FormToken, Panel } from "../parts/blocks.tsx";
import { KeptChoice, KeptField, KeptTicks } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Once } from "../parts/once.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Count, Given, Nothing, Time } from "../parts/show.tsx";
import { SettingsHead } from "../settings/tabs.tsx";

/** As the API shows it. */
export interface WebhookShown {
  id: string;
  url: string;
}

const endpointsMax = 100;
const deliveriesShown = 50;

/** The endpoints, how their deliveries go, and what was sent to one of them. */
export async function showWebhooks(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  made: (WebhookShown & { secret: string }) | null,
): Promise<Response> {
  const [{ rows }, choices] = await Promise.all([
    listEndpoints(visitor.reader, { limit: endpointsMax, after: null }),
    choicesFor(web, visitor),
  ]);
  const asked = made?.id ?? c.req.query("id");
  const chosen = rows.find(({ id }) => `wh_${id}` === asked) ?? null;
  const deliveries =
    chosen === null
      ? []
      : (
          await listDeliveries(
            visitor.reader.database,
            chosen.id,
            {},
            { limit: deliveriesShown, after: null },
          )
        ).rows;
  return show(web, c, visitor, {
    title: "Webhooks",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/webhooks" />
        {made !== null && <Secret made={made} />}
        <Panel title="Endpoints" id="endpoints">
          <Endpoints rows={rows} visitor={visitor} />
        </Panel>
        {chosen !== null && <Deliveries endpoint={chosen} rows={deliveries} visitor={visitor} />}
        <Panel title="Add an endpoint" id="add">
          <AddForm choices={choices} visitor={visitor} chosen={chosen} />
        </Panel>
      </>
    ),
  });
}

function Secret({ made }: { made: WebhookShown & { secret: string } }) {
  return (
    <Panel title="Signing secret" id="secret">
      <p>
        The secret of <bdi>{made.url}</bdi>. It is shown only now; rotate the secret to get another.
      </p>
      <p>
        <code>{made.secret}</code>
      </p>
    </Panel>
  );
}

function Endpoints({ rows, visitor }: { rows: readonly Endpoint[]; visitor: Visitor }) {
  if (rows.length === 0) {
    return (
      <Empty title="No endpoints yet">
        Add one below, and tieout will send it signed events as they happen.
      </Empty>
    );
  }
  const { zone } = visitor.preferences;
  return (
    <ListTable
      label="Webhook endpoints"
      rows={rows}
      columns={[
        {
          title: "Address",
          rowName: (row) => (
            <a href={endpointPath(row)}>
              <bdi class="whole-text">{row.url}</bdi>
            </a>
          ),
        },
        {
          title: "For",
          show: (row) => (row.description === "" ? <Nothing /> : <Given text={row.description} />),
        },
        { title: "Events", show: (row) => (row.events.includes("*") ? "all" : row.events.join(", ")) },
        { title: "Accounts", show: (row) => row.accounts?.join(", ") ?? "all" },
        { title: "State", show: (row) => <State row={row} /> },
        { title: "Waiting", figures: (row) => <Count of={row.pending} /> },
        { title: "Last success", show: (row) => <Time at={row.lastSuccessAt} zone={zone} /> },
        { title: "Problem", show: (row) => <Trouble row={row} /> },
      ]}
    />
  );
}

function State({ row }: { row: Endpoint }) {
  if (row.state === "disabled") return <Chip tone="bad">disabled</Chip>;
  return row.failures > 0 ? <Chip tone="warn">failing</Chip> : <Chip tone="good">enabled</Chip>;
}

function Trouble({ row }: { row: Endpoint }) {
  const text = row.disabledReason ?? row.lastError;
  return text === null ? <Nothing /> : <Given text={text} />;
}

interface DeliveriesProps {
  endpoint: Endpoint;
  rows: readonly DeliveryRow[];
  visitor: Visitor;
}

function Deliveries({ endpoint, rows, visitor }: DeliveriesProps) {
  const { zone } = visitor.preferences;
  return (
    <Panel title="Deliveries" id="deliveries" aside={<bdi>{endpoint.url}</bdi>}>
      <div class="actions">
        <Act visitor={visitor} endpoint={endpoint} action="test">
          Send a test event
        </Act>
        <Act visitor={visitor} endpoint={endpoint} action="replay">
          Send failed and missed events again
        </Act>
        <Act visitor={visitor} endpoint={endpoint} action="rotate">
          Rotate the secret
        </Act>
        <Act
          visitor={visitor}
          endpoint={endpoint}
          action="state"
          more={{ state: endpoint.state === "enabled" ? "disabled" : "enabled", version: endpoint.version }}
        >
          {endpoint.state === "enabled" ? "Disable" : "Enable"}
        </Act>
        <Act visitor={visitor} endpoint={endpoint} action="remove">
          Remove
        </Act>
      </div>
      {rows.length === 0 ? (
        <Empty title="Nothing has been sent yet">Send a test event to see whether it arrives.</Empty>
      ) : (
        <ListTable
          label="Deliveries"
          caption={`The last ${deliveriesShown} events, newest first. Times in ${zone}.`}
          rows={rows}
          columns={[
            { title: "Event", cellClass: "mono", rowName: (row) => `evt_${row.eventId}` },
            { title: "Type", show: (row) => row.type },
            { title: "Happened", show: (row) => <Time at={row.at} zone={zone} /> },
            { title: "State", show: (row) => <Chip tone={tones[row.state]}>{row.state}</Chip> },
            { title: "Attempts", figures: (row) => <Count of={row.attempts} /> },
            { title: "Answer", show: (row) => row.status ?? <Nothing /> },
            {
              title: "Problem",
              show: (row) => (row.error === null ? <Nothing /> : <Given text={row.error} />),
            },
            {
              title: "Again",
              show: (row) =>
                row.state === "pending" ? (
                  <Nothing />
                ) : (
                  <Act
                    visitor={visitor}
                    endpoint={endpoint}
                    action="replay"
                    more={{ event: `evt_${row.eventId}` }}
                  >
                    Send again
                  </Act>
                ),
            },
          ]}
        />
      )}
    </Panel>
  );
}

const tones = { pending: "calm", delivered: "good", failed: "bad" } as const;

interface ActProps {
  visitor: Visitor;
  endpoint: Endpoint;
  action: string;
  more?: Record<string, string | number>;
  children: Child;
}

function Act({ visitor, endpoint, action, more = {}, children }: ActProps) {
  return (
    <form method="post" action={`/settings/webhooks/${action}`} class="inline-form">
      <FormToken csrf={visitor.csrf} />
      <Once />
      <input type="hidden" name="id" value={`wh_${endpoint.id}`} />
      {Object.entries(more).map(([name, value]) => (
        <input type="hidden" name={name} value={String(value)} />
      ))}
      <button type="submit" class="secondary">
        {children}
      </button>
    </form>
  );
}

interface AddFormProps {
  choices: FilterChoices;
  visitor: Visitor;
  chosen: Endpoint | null;
}

function AddForm({ choices, visitor, chosen }: AddFormProps) {
  const of = { visitor, form: "add-endpoint" };
  return (
    <PostForm
      visitor={visitor}
      action="/settings/webhooks/create"
      id={of.form}
      back={chosen === null ? "/settings/webhooks" : endpointPath(chosen)}
      class="filters"
    >
      <Once />
      <div class="filter-row">
        <KeptField
          {...of}
          type="url"
          class="grow"
          name="url"
          label="Address"
          required
          maxlength={2000}
          placeholder="https://example.com/events"
        />
        <KeptField {...of} name="description" label="For" maxlength={200} placeholder="what it is for" />
        <KeptChoice {...of} name="account" label="Account" any="All" options={choices.accounts} />
      </div>
      <KeptTicks
        {...of}
        name="events"
        legend="Events (none chosen means all)"
        values={Object.keys(eventTypes).filter((name) => name !== "webhook.test")}
        meanings={eventTypes}
      />
      <p class="actions">
        <button type="submit">Add endpoint</button>
      </p>
    </PostForm>
  );
}

function endpointPath({ id }: Endpoint): string {
  return `/settings/webhooks?id=wh_${id}`;
}
