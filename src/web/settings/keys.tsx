import type { key } from "../../api/keys/schema.ts";
import { problem } from "../../api/problem.ts";
import { DAY, SECOND } from "../../core/duration.ts";
import { keyRoles } from "../../core/roles.ts";
import { addAction, addPage } from "../add-page.tsx";
import { withoutEmpty } from "../address.ts";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { Empty, FormToken, Pager, Panel } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { KeptChoice, KeptField } from "../parts/kept-fields.tsx";
import { keyTrouble } from "../parts/key-trouble.ts";
import { ListTable } from "../parts/list-table.tsx";
import { Once, onceHeader } from "../parts/once.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Chip, Given, Time } from "../parts/show.tsx";
import { SettingsHead } from "./tabs.tsx";

type ShownKey = ReturnType<typeof key.present>;

/** Scopes one by one are for the command line. */
const roles = keyRoles.filter((role) => role !== "custom");
const lives = ["30", "90", "365"];

/** Keys of machines: made and revoked through the API's own routes, and so with its rights and its audit entries. */
export function addKeys(web: Web): void {
  const scopes = ["keys:write"] as const;
  addPage(web, "/settings/keys", scopes, (c, visitor) => showKeys(web, c, visitor, null));

  addAction(web, "/settings/keys/make", scopes, async (c, visitor, form) => {
    const name = textOf(form, "name");
    if (name === "") throw problem("invalid_parameter", "Give the key a name: what it is for.");
    const days = lives.find((life) => life === textOf(form, "days")) ?? "90";
    const made = await askApi<ShownKey & { key: string | null }>(web, c, visitor, "/v1/keys", {
      headers: onceHeader(form),
      json: {
        name: name.slice(0, 100),
        role: roles.find((role) => role === textOf(form, "role")) ?? "viewer",
        expires_in_seconds: (Number(days) * DAY) / SECOND,
      },
    });
    if (made.key === null) {
      leaveNotice(c, "This key was created before. It was shown only once.");
      return c.redirect("/settings/keys", 303);
    }
    // Shown in this one answer: it is kept nowhere, and a redirect would lose it.
    return showKeys(web, c, visitor, made.key);
  });

  addAction(web, "/settings/keys/revoke", scopes, async (c, visitor, form) => {
    const id = textOf(form, "id");
    if (!/^key_[A-Za-z0-9]{1,40}$/.test(id)) throw problem("not_found", "There is no such key.");
    await askApi(web, c, visitor, `/v1/keys/${id}`, { method: "DELETE" });
    leaveNotice(c, "The key is revoked permanently.");
    return c.redirect("/settings/keys", 303);
  });
}

async function showKeys(web: Web, c: WebContext, visitor: Visitor, made: string | null): Promise<Response> {
  // The answer to the form shows the first page, as an address of its own would.
  const address = withoutEmpty(new URLSearchParams(made === null ? new URL(c.req.url).search : ""));
  const query = new URLSearchParams({ limit: "100" });
  const cursor = address.get("cursor");
  if (cursor !== null) query.set("cursor", cursor);
  const { data, next_cursor: nextCursor } = await askApi<{ data: ShownKey[]; next_cursor: string | null }>(
    web,
    c,
    visitor,
    "/v1/keys",
    { query },
  );
  const of = { visitor, form: "make-key" };
  return show(web, c, visitor, {
    title: "API keys",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/keys" />
        {made !== null && (
          <div class="notice" role="status">
            <p>
              This is the key, shown only once. Store it where your program can read it; it is not kept here.
            </p>
            <pre tabindex={0}>
              <code>{made}</code>
            </pre>
          </div>
        )}
        <Panel title="New key" id="new-key">
          <PostForm visitor={visitor} action="/settings/keys/make" id={of.form} back="/settings/keys">
            <Once />
            <KeptField
              {...of}
              name="name"
              label="Name: what it is for"
              class="grow"
              required
              maxlength={100}
            />
            <KeptChoice
              {...of}
              name="role"
              label="Role"
              any="viewer"
              options={roles.filter((role) => role !== "viewer")}
            />
            <KeptChoice {...of} name="days" label="Valid for days" any="90" options={["30", "365"]} />
            <Button>Create key</Button>
          </PostForm>
        </Panel>
        <Panel title="Keys" id="keys">
          {data.length === 0 ? (
            <Empty title="No keys yet">Programs that call the API need one; people sign in.</Empty>
          ) : (
            <KeyTable rows={data} visitor={visitor} nowMs={web.api.deps.now()} />
          )}
          <Pager
            path="/settings/keys"
            query={address}
            nextCursor={nextCursor}
            shown={`${data.length} shown, newest first`}
          />
        </Panel>
      </>
    ),
  });
}

function KeyTable({ rows, visitor, nowMs }: { rows: readonly ShownKey[]; visitor: Visitor; nowMs: number }) {
  const { zone } = visitor.preferences;
  return (
    <ListTable
      label="API keys"
      caption={`API keys. Times in ${zone}.`}
      rows={rows}
      columns={[
        { title: "Name", rowName: (key) => <Given text={key.name} /> },
        { title: "Key", show: (key) => <code>{key.id}</code> },
        { title: "Role", show: (key) => key.role },
        { title: "Accounts", show: (key) => key.accounts?.join(", ") ?? "all" },
        { title: "Owner", show: (key) => <Given text={key.owner_name} /> },
        { title: "Last used", show: (key) => <Time at={key.last_used_at} zone={zone} /> },
        { title: "Valid until", show: (key) => <Time at={key.expires_at} zone={zone} /> },
        { title: "State", show: (key) => <KeyState of={key} nowMs={nowMs} /> },
        {
          title: "Revoke",
          show: (key) =>
            key.revoked_at === null && (
              <form method="post" action="/settings/keys/revoke">
                <FormToken csrf={visitor.csrf} />
                <input type="hidden" name="id" value={key.id} />
                <Button kind="danger" aria-label={`Revoke ${key.name}`}>
                  Revoke
                </Button>
              </form>
            ),
        },
      ]}
    />
  );
}

function KeyState({ of: key, nowMs }: { of: ShownKey; nowMs: number }) {
  const trouble = keyTrouble(key, nowMs);
  if (trouble !== null) return <Chip tone={trouble.tone}>{trouble.text}</Chip>;
  return key.unused ? <Chip tone="warn">not used for 90 days</Chip> : <Chip tone="good">valid</Chip>;
}
