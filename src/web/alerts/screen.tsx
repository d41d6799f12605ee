import { counted } from "../../core/counted.ts";
import { alertKinds, isAlertKind } from "../../core/alert-kinds.ts";
import {
  type AlertRule,
  type AlertSettings,
  listRules,
  readAlertSettings,
} from "../../store/notify/alert-rules.ts";
import { type AlertRecipient, allRecipients } from "../../store/notify/alert-recipients.ts";
import { type Alert, listOpenAlerts } from "../../store/notify/alerts.ts";
import type { FilterChoices, Visitor, Web, WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Empty, FormToken, Panel } from "../parts/blocks.tsx";
import { KeptChoice, KeptField, type KeptForm, KeptSelect } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { keptTicks, PostForm } from "../parts/post-form.tsx";
import { Given, Nothing, Time } from "../parts/show.tsx";
import { SettingsHead } from "../settings/tabs.tsx";

const place = "/settings/alerts";

/** Open alerts, rules and recipients. */
export async function showAlerts(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const [open, rules, recipients, settings, choices] = await Promise.all([
    listOpenAlerts(visitor.reader),
    listRules(visitor.reader),
    allRecipients(web.api.deps.database),
    readAlertSettings(web.api.deps.database),
    choicesFor(web, visitor),
  ]);
  return show(web, c, visitor, {
    title: "Alerts",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/alerts" />
        <Panel title="Open alerts" id="open">
          <OpenAlerts alerts={open} zone={visitor.preferences.zone} />
        </Panel>
        <Panel title="Rules" id="rules">
          <Rules rules={rules} visitor={visitor} />
          <AddRule choices={choices} visitor={visitor} />
        </Panel>
        {visitor.caller.accountIds === null && (
          <Panel title="E-mail" id="email">
            <Recipients recipients={recipients} visitor={visitor} />
            <Settings settings={settings} visitor={visitor} />
          </Panel>
        )}
      </>
    ),
  });
}

function OpenAlerts({ alerts, zone }: { alerts: readonly Alert[]; zone: string }) {
  if (alerts.length === 0)
    return <Empty title="No open alerts">The rules below are checked every minute.</Empty>;
  return (
    <ListTable
      label="Open alerts"
      caption={`Newest first. Times in ${zone}.`}
      rows={alerts}
      columns={[
        {
          title: "Alert",
          rowName: ({ title, path }) => (
            <a href={path}>
              <bdi>{title}</bdi>
            </a>
          ),
        },
        { title: "Since", show: ({ raisedAt }) => <Time at={raisedAt} zone={zone} /> },
        { title: "E-mail sent", show: ({ emailedAt }) => <Time at={emailedAt} zone={zone} /> },
      ]}
    />
  );
}

function Rules({ rules, visitor }: { rules: readonly AlertRule[]; visitor: Visitor }) {
  if (rules.length === 0) return <Empty title="No rules yet">Add the first one here.</Empty>;
  return (
    <ListTable
      label="Alert rules"
      rows={rules}
      columns={[
        {
          title: "Watches",
          rowName: ({ kind }) => (isAlertKind(kind) ? alertKinds[kind].title : kind),
        },
        { title: "Limit", show: (rule) => <Limit rule={rule} /> },
        {
          title: "Accounts",
          show: ({ accountIds }) => (accountIds === null ? "all" : String(accountIds.length)),
        },
        {
          title: "Tells by",
          show: ({ byEmail, byWebhook }) =>
            ["page", ...(byEmail ? ["e-mail"] : []), ...(byWebhook ? ["webhook"] : [])].join(", "),
        },
        { title: "Added by", show: ({ createdBy }) => <Given text={createdBy} /> },
        {
          title: "Remove",
          show: ({ id }) => (
            <form method="post" action="/settings/alerts/remove">
              <FormToken csrf={visitor.csrf} />
              <input type="hidden" name="id" value={String(id)} />
              <button type="submit" class="secondary">
                Remove
              </button>
            </form>
          ),
        },
      ]}
    />
  );
}

function Limit({ rule: { limitSeconds, limitAmount, currency } }: { rule: AlertRule }) {
  if (limitSeconds !== null)
    return (
      <>{limitSeconds % 60 === 0 ? counted(limitSeconds / 60, "minute") : counted(limitSeconds, "second")}</>
    );
  return limitAmount === null ? (
    <Nothing />
  ) : (
    <>
      {limitAmount} {currency}
    </>
  );
}

function AddRule({ choices, visitor }: { choices: FilterChoices; visitor: Visitor }) {
  const of = { visitor, form: "add-rule" };
  const kinds = Object.entries(alertKinds).map(
    ([kind, { title, limit }]) => [kind, limit === null ? title : `${title} …`] as const,
  );
  return (
    <PostForm visitor={visitor} action={`${place}/add`} id={of.form} back={place} class="filters">
      <div class="filter-row">
        <KeptSelect {...of} name="kind" label="Watch" options={kinds} />
        <KeptField {...of} name="limit" label="Limit" maxlength={40} placeholder="15m, or 1000" />
        <KeptField {...of} name="currency" label="Currency" maxlength={20} placeholder="eur" />
        <KeptChoice {...of} name="account" label="Account" any="All" options={choices.accounts} />
        <TellBy {...of} name="by_email" words="e-mail" />
        <TellBy {...of} name="by_webhook" words="webhook" />
      </div>
      <p class="actions">
        <button type="submit">Add rule</button>
      </p>
    </PostForm>
  );
}

function TellBy({ visitor, form, name, words }: KeptForm & { name: string; words: string }) {
  const isTicked = keptTicks(visitor, form, name).includes("true");
  return (
    <label class="check">
      <input type="checkbox" name={name} value="true" checked={isTicked} /> {words}
    </label>
  );
}

function Recipients({ recipients, visitor }: { recipients: readonly AlertRecipient[]; visitor: Visitor }) {
  const of = { visitor, form: "add-recipient" };
  return (
    <>
      {recipients.length === 0 ? (
        <Empty title="No recipients yet">Nobody gets alerts by e-mail until an address is added.</Empty>
      ) : (
        <ListTable
          label="Recipients"
          rows={recipients}
          columns={[
            { title: "Recipient", rowName: ({ address }) => <bdi>{address}</bdi> },
            {
              title: "Remove",
              show: ({ id, address }) => (
                <form method="post" action="/settings/alerts/recipients/remove">
                  <FormToken csrf={visitor.csrf} />
                  <input type="hidden" name="id" value={id} />
                  <button type="submit" class="secondary" aria-label={`Remove ${address}`}>
                    Remove
                  </button>
                </form>
              ),
            },
          ]}
        />
      )}
      <PostForm
        visitor={visitor}
        action={`${place}/recipients/add`}
        id={of.form}
        back={place}
        class="filters"
      >
        <div class="filter-row">
          <KeptField
            {...of}
            type="email"
            class="grow"
            name="address"
            label="E-mail address"
            maxlength={254}
            required
            placeholder="ada@example.com"
          />
          <button type="submit">Add recipient</button>
        </div>
      </PostForm>
    </>
  );
}

function Settings({ settings, visitor }: { settings: AlertSettings; visitor: Visitor }) {
  const of = { visitor, form: "alert-settings" };
  return (
    <PostForm visitor={visitor} action={`${place}/settings`} id={of.form} back={place} class="filters">
      <div class="filter-row">
        <KeptField {...of} name="zone" label="Time zone" begin={settings.zone} maxlength={60} />
        {(
          [
            ["quiet_from", "Quiet from", settings.quietFrom],
            ["quiet_to", "Quiet until", settings.quietTo],
            ["digest_at", "Daily digest at", settings.digestAt],
          ] as const
        ).map(([name, label, minute]) => (
          <KeptField {...of} type="time" name={name} label={label} begin={timeOf(minute)} />
        ))}
      </div>
      <p class="actions">
        <button type="submit">Save</button>
      </p>
      <p class="muted">
        New alerts go out in one mail, each once; in quiet hours they wait. The mail server is configured with{" "}
        <code>SMTP_URL</code>.
      </p>
    </PostForm>
  );
}

function timeOf(minute: number | null): string {
  if (minute === null) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}
