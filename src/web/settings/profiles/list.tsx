import type { presentProfile, presentWholeProfile } from "../../../api/profiles/schema.ts";
import { askApi } from "../../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../../deps.ts";
import { choicesFor } from "../../fresh-totals.ts";
import { show } from "../../layout.tsx";
import { Choice, Fact, Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { FilterForm } from "../../parts/filter-form.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { PostForm } from "../../parts/post-form.tsx";
import { ReasonField } from "../../parts/reason-field.tsx";
import { Given, GivenLink } from "../../parts/show.tsx";
import { SettingsHead } from "../tabs.tsx";
import { fieldWords } from "./field-words.ts";

type ShownProfile = ReturnType<typeof presentProfile>;
type WholeProfile = ReturnType<typeof presentWholeProfile>;

/** How files are read, for one account at a time: another may read the same file otherwise. */
export async function showProfiles(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { account, accounts } = await chosenAccount(web, c, visitor);
  const query = new URLSearchParams({ account });
  const { data } =
    account === ""
      ? { data: [] }
      : await askApi<{ data: ShownProfile[] }>(web, c, visitor, "/v1/profiles", { query });
  return show(web, c, visitor, {
    title: "Profiles",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/profiles" />
        <Panel
          title="Profiles"
          id="profiles"
          aside={
            may(visitor, "statements:write") &&
            web.deps.statements !== undefined && (
              <a href="/settings/profile-maker">Create one from a sample</a>
            )
          }
        >
          {accounts.length > 1 && (
            <FilterForm path="/settings/profiles">
              <Choice name="account" label="Account" any={account} options={accounts} chosen={account} />
            </FilterForm>
          )}
          <ListTable
            label="Profiles"
            caption="How files are read: the meaning of their columns and words."
            rows={data}
            data-rows
            columns={[
              {
                title: "Profile",
                rowName: ({ name }) => <GivenLink href={profilePath({ name, account })} text={name} />,
              },
              { title: "Provider", show: ({ provider }) => <Given text={provider ?? "any"} /> },
              { title: "Version", figures: ({ version }) => version },
              {
                title: "Recognised",
                show: ({ recognise, file_name }) =>
                  recognise === "only_when_named" ? "when named" : (file_name ?? "by its header"),
              },
              {
                title: "Whose",
                show: (row) => (row.built_in ? "built in" : <Given text={row.saved_by_name} />),
              },
            ]}
          />
        </Panel>
      </>
    ),
  });
}

export async function showProfile(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const { account } = await chosenAccount(web, c, visitor);
  const name = c.req.param("name") ?? "";
  const query = new URLSearchParams({ account });
  const path = `/v1/profiles/${encodeURIComponent(name)}`;
  const found = await askApi<WholeProfile>(web, c, visitor, path, { query });
  const { profile } = found;
  const required: readonly string[] = profile.required;
  const columns = Object.entries(profile.columns).map(([field, names]) => ({ field, names: [names].flat() }));
  return show(web, c, visitor, {
    title: `Profile ${name}`,
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/profiles" />
        <Panel
          title={`Profile ${name}, version ${found.version}`}
          id="profile"
          aside={<a href={`/settings/profiles?${query.toString()}`}>All profiles</a>}
        >
          <dl class="facts">
            <Fact name="Provider" value={<Given text={found.provider ?? "any"} />} />
            <Fact name="About" value={<Given text={found.about} />} />
            <dt>Times</dt>
            <dd>
              {profile.time.format}, in {profile.time.zone}
            </dd>
            <dt>Amounts</dt>
            <dd>
              1{profile.grouping}234{profile.decimal}50
            </dd>
            <dt>Statuses</dt>
            <dd>
              {Object.entries(profile.statuses.any)
                .map(([theirs, ours]) => `${theirs} = ${ours}`)
                .join(", ") || "none"}
            </dd>
          </dl>
          <ListTable
            label="Columns"
            rows={columns}
            columns={[
              { title: "What it is", rowName: ({ field }) => fieldWords[field] ?? field },
              {
                title: "Column of the file",
                show: ({ names }) => <Given text={names.join(", else ")} mono />,
              },
              { title: "Needed", show: ({ field }) => (required.includes(field) ? "yes" : "no") },
            ]}
          />
        </Panel>
        {!found.built_in && may(visitor, "statements:write") && (
          <Panel title="Retire it" id="retire-it">
            <PostForm
              visitor={visitor}
              action="/settings/profiles/retire"
              id="retire"
              back={profilePath({ name, account })}
            >
              <input type="hidden" name="name" value={name} />
              <input type="hidden" name="account" value={account} />
              <ReasonField visitor={visitor} form="retire" label="Reason for retiring it" />
              <Button kind="danger">Retire profile</Button>
            </PostForm>
          </Panel>
        )}
      </>
    ),
  });
}

/** The one that is named, else the first. */
async function chosenAccount(web: Web, c: WebContext, visitor: Visitor) {
  const { accounts } = await choicesFor(web, visitor);
  const named = new URL(c.req.url).searchParams.get("account") ?? "";
  return { account: named || (accounts[0] ?? ""), accounts };
}

export function profilePath({ name, account }: { name: string; account: string }): string {
  return `/settings/profiles/${encodeURIComponent(name)}?${new URLSearchParams({ account }).toString()}`;
}
