import { presentKey } from "../../api/keys/schema.ts";
import { roles } from "../../core/roles.ts";
import { listKeys } from "../../store/people/api-keys.ts";
import { listPeople, type Person, personPaging } from "../../store/people/people.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { FormToken, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Given, Time } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";

const rowsPerPage = 100;
const keysShownMax = 200;

/** Who may come in, as what, and the keys that they answer for. */
export async function showPeople(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const [{ rows, pager }, { accounts }, keys] = await Promise.all([
    listPage({ path: "/people", address, limit: rowsPerPage }, personPaging, (page) =>
      listPeople(visitor.reader, {}, page),
    ),
    choicesFor(web, visitor),
    may(visitor, "keys:write") ? listKeys(visitor.reader, { limit: keysShownMax, after: null }) : null,
  ]);
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: "People",
    under: "/people",
    children: (
      <>
        <TitleRow title="People" />
        {may(visitor, "people:write") && <InviteForm visitor={visitor} accounts={accounts} />}
        <PeopleTable people={rows} visitor={visitor} accounts={accounts} />
        <Pager {...pager} shown={`${rows.length} shown`} />
        {keys !== null && <KeyTable keys={keys.rows.map(presentKey)} zone={zone} />}
      </>
    ),
  });
}

function PeopleTable({
  people,
  visitor,
  accounts,
}: {
  people: readonly Person[];
  visitor: Visitor;
  accounts: readonly string[];
}) {
  const { zone } = visitor.preferences;
  const tones = { invited: "calm", active: "good", suspended: "bad" } as const;
  return (
    <ListTable
      label="People"
      caption={`People, in the order in which they came. Times in ${zone}.`}
      rows={people}
      columns={[
        { title: "Name", rowName: ({ name }) => <Given text={name} /> },
        { title: "E-mail", show: ({ email }) => <Given text={email} /> },
        { title: "Roles", show: (person) => person.roles.join(", ") },
        { title: "Accounts", show: (person) => person.accounts?.join(", ") ?? "all" },
        { title: "State", show: ({ state }) => <Chip tone={tones[state]}>{state}</Chip> },
        { title: "Invited by", show: ({ createdByName }) => <Given text={createdByName} /> },
        { title: "Last seen", show: ({ lastSeenAt }) => <Time at={lastSeenAt} zone={zone} /> },
        ...(may(visitor, "people:write")
          ? [
              {
                title: "Actions",
                show: (person: Person) => (
                  <PersonActions person={person} visitor={visitor} accounts={accounts} />
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

function InviteForm({ visitor, accounts }: { visitor: Visitor; accounts: readonly string[] }) {
  return (
    <Panel title="Invite someone" id="invite-title">
      <form method="post" action="/people/invite" class="row-form">
        <FormToken csrf={visitor.csrf} />
        <label>
          <span>Name</span>
          <input name="name" required maxlength={200} autocomplete="off" />
        </label>
        <label>
          <span>E-mail</span>
          <input type="email" name="email" required maxlength={200} autocomplete="off" />
        </label>
        <RoleChoice chosen={["accountant"]} />
        <AccountChoice accounts={accounts} chosen={visitor.accounts} />
        <button type="submit">Invite</button>
      </form>
    </Panel>
  );
}

function PersonActions({
  person,
  visitor,
  accounts,
}: {
  person: Person;
  visitor: Visitor;
  accounts: readonly string[];
}) {
  const hidden = (
    <>
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="id" value={`per_${person.id}`} />
    </>
  );
  if (person.state === "suspended") {
    return (
      <form method="post" action="/people/resume">
        {hidden}
        <button type="submit">Resume</button>
      </form>
    );
  }
  return (
    <div class="switches">
      <form method="post" action="/people/link">
        {hidden}
        <button type="submit">Make a link</button>
      </form>
      <details>
        <summary>Roles</summary>
        <form method="post" action="/people/roles" class="row-form">
          {hidden}
          <RoleChoice chosen={person.roles} />
          <AccountChoice accounts={accounts} chosen={person.accounts} />
          <button type="submit">Change roles</button>
        </form>
      </details>
      {person.id !== visitor.caller.personId && (
        <details>
          <summary>Suspend</summary>
          <form method="post" action="/people/suspend" class="row-form">
            {hidden}
            <label>
              <span>Why</span>
              <input type="text" name="reason" required maxlength={200} />
            </label>
            <button type="submit">Suspend</button>
          </form>
        </details>
      )}
    </div>
  );
}

function RoleChoice({ chosen }: { chosen: readonly string[] }) {
  return (
    <fieldset class="checks">
      <legend>Roles</legend>
      {roles.map((role) => (
        <label>
          <input type="checkbox" name="role" value={role} checked={chosen.includes(role)} /> {role}
        </label>
      ))}
    </fieldset>
  );
}

/** Nothing to choose where there is one account. */
function AccountChoice({
  accounts,
  chosen,
}: {
  accounts: readonly string[];
  chosen: readonly string[] | null;
}) {
  if (accounts.length < 2) return null;
  return (
    <fieldset class="checks">
      <legend>Accounts (none chosen: all of yours)</legend>
      {accounts.map((account) => (
        <label>
          <input
            type="checkbox"
            name="account"
            value={account}
            checked={chosen?.includes(account) ?? false}
          />{" "}
          {account}
        </label>
      ))}
    </fieldset>
  );
}

function KeyTable({ keys, zone }: { keys: ReturnType<typeof presentKey>[]; zone: string }) {
  return (
    <Panel title="API keys" id="keys-title">
      <ListTable
        label="API keys"
        caption="Made with tieout keys create or POST /v1/keys, newest first; each is good for a year at most."
        rows={keys}
        columns={[
          { title: "Key", rowName: (key) => <Given text={`${key.id} …${key.last_four}`} mono /> },
          { title: "For", show: (key) => <Given text={key.name} /> },
          { title: "Role", show: (key) => key.role },
          { title: "Owner", show: (key) => <Given text={key.owner_name} /> },
          { title: "Made by", show: (key) => <Given text={key.created_by_name} /> },
          { title: "Expires", show: (key) => <Time at={key.expires_at} zone={zone} /> },
          {
            title: "Last used",
            show: (key) => (key.last_used_at === null ? "never" : <Time at={key.last_used_at} zone={zone} />),
          },
          {
            title: "State",
            show: (key) =>
              key.revoked_at === null ? (
                key.unused ? (
                  <Chip tone="warn">unused</Chip>
                ) : (
                  <Chip tone="good">in use</Chip>
                )
              ) : (
                <Chip tone="calm">revoked</Chip>
              ),
          },
        ]}
      />
    </Panel>
  );
}
