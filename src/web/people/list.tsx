import { presentKey } from "../../api/keys/schema.ts";
import { roles } from "../../core/roles.ts";
import { listKeys } from "../../store/people/api-keys.ts";
import { listPeople, type Person, personPaging } from "../../store/people/people.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { FormToken, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { KeptField, type KeptForm, KeptTicks } from "../parts/kept-fields.tsx";
import { keyTrouble } from "../parts/key-trouble.ts";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
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
  const page = { visitor, accounts, here: `/people?${address.toString()}` };
  return show(web, c, visitor, {
    title: "People",
    under: "/people",
    children: (
      <>
        <TitleRow title="People" />
        {may(visitor, "people:write") && <InviteForm {...page} />}
        <PeopleTable people={rows} {...page} />
        <Pager {...pager} shown={`${rows.length} shown`} />
        {keys !== null && (
          <KeyTable keys={keys.rows.map(presentKey)} zone={zone} nowMs={web.api.deps.now()} />
        )}
      </>
    ),
  });
}

interface PageProps {
  visitor: Visitor;
  accounts: readonly string[];
  /** This page of the list: a form that is refused comes back to it. */
  here: string;
}

function PeopleTable({ people, ...page }: PageProps & { people: readonly Person[] }) {
  const { visitor } = page;
  const { zone } = visitor.preferences;
  const tones = { invited: "calm", active: "good", suspended: "bad" } as const;
  return (
    <ListTable
      label="People"
      caption={`People, oldest first. Times in ${zone}.`}
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
                show: (person: Person) => <PersonActions person={person} {...page} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function InviteForm({ visitor, accounts, here }: PageProps) {
  const of = { visitor, form: "invite" };
  const typed = { required: true, maxlength: 200, autocomplete: "off" } as const;
  return (
    <Panel title="Invite someone" id="invite-title">
      <PostForm visitor={visitor} action="/people/invite" id={of.form} back={here}>
        <KeptField {...of} {...typed} name="name" label="Name" />
        <KeptField {...of} {...typed} type="email" name="email" label="E-mail" />
        <KeptTicks {...of} name="role" legend="Roles" values={roles} begin={["accountant"]} />
        <AccountChoice {...of} accounts={accounts} chosen={visitor.accounts} />
        <button type="submit">Invite</button>
      </PostForm>
    </Panel>
  );
}

function PersonActions({ person, visitor, accounts, here }: PageProps & { person: Person }) {
  const id = <input type="hidden" name="id" value={`per_${person.id}`} />;
  if (person.state === "suspended") {
    return (
      <form method="post" action="/people/resume">
        <FormToken csrf={visitor.csrf} />
        {id}
        <button type="submit">Resume</button>
      </form>
    );
  }
  const ofRoles = { visitor, form: `roles-${person.id}` };
  const ofSuspend = { visitor, form: `suspend-${person.id}` };
  return (
    <div class="switches">
      <form method="post" action="/people/link">
        <FormToken csrf={visitor.csrf} />
        {id}
        <button type="submit">Create a link</button>
      </form>
      <details open={visitor.refused?.form === ofRoles.form}>
        <summary>Roles</summary>
        <PostForm visitor={visitor} action="/people/roles" id={ofRoles.form} back={here}>
          {id}
          <KeptTicks {...ofRoles} name="role" legend="Roles" values={roles} begin={person.roles} />
          <AccountChoice {...ofRoles} accounts={accounts} chosen={person.accounts} />
          <button type="submit">Change roles</button>
        </PostForm>
      </details>
      {person.id !== visitor.caller.personId && (
        <details open={visitor.refused?.form === ofSuspend.form}>
          <summary>Suspend</summary>
          <PostForm visitor={visitor} action="/people/suspend" id={ofSuspend.form} back={here}>
            {id}
            <KeptField {...ofSuspend} name="reason" label="Why" required maxlength={200} />
            <button type="submit">Suspend</button>
          </PostForm>
        </details>
      )}
    </div>
  );
}

/** Nothing to choose where there is one account. */
function AccountChoice({
  accounts,
  chosen,
  ...of
}: KeptForm & { accounts: readonly string[]; chosen: readonly string[] | null }) {
  if (accounts.length < 2) return null;
  return (
    <KeptTicks
      {...of}
      name="account"
      legend="Accounts (none chosen: all of yours)"
      values={accounts}
      begin={chosen ?? []}
    />
  );
}

interface KeyTableProps {
  keys: ReturnType<typeof presentKey>[];
  zone: string;
  nowMs: number;
}

function KeyTable({ keys, zone, nowMs }: KeyTableProps) {
  return (
    <Panel title="API keys" id="keys-title" aside={<a href="/settings/keys">All keys</a>}>
      <ListTable
        label="API keys"
        caption="Created with tieout keys create or POST /v1/keys, newest first; each is valid for a year at most."
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
            show: (key) => {
              const trouble = keyTrouble(key, nowMs);
              if (trouble !== null) return <Chip tone={trouble.tone}>{trouble.text}</Chip>;
              return key.unused ? <Chip tone="warn">unused</Chip> : <Chip tone="good">in use</Chip>;
            },
          },
        ]}
      />
    </Panel>
  );
}
