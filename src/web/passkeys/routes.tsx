import { addPasskey, askForNewPasskey, canHavePasskeys, removePasskey } from "../../access/passkeys.ts";
import { accessProblem } from "../../api/access-problem.ts";
import { listPasskeys, type Passkey } from "../../store/people/passkeys.ts";
import { addAction, addPage } from "../add-page.tsx";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { Empty, FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { KeptField } from "../parts/kept-fields.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Given, Time } from "../parts/show.tsx";
import { depsOf, siteOf } from "../sign-in/passkey.tsx";
import { keepStateToken, takeStateToken } from "../sign-in/state-cookie.ts";

/** A person's own passkeys: everyone looks after their own. */
export function addPasskeys(web: Web): void {
  addPage(web, "/passkeys", [], async (c, visitor) =>
    show(web, c, visitor, {
      title: "Passkeys",
      under: "/settings",
      assets: ["passkeys.js"],
      children: (
        <Passkeys rows={await held(web, visitor)} visitor={visitor} possible={canHavePasskeys(siteOf(c))} />
      ),
    }),
  );

  addAction(web, "/passkeys/ask", [], async (c, visitor) => {
    const person = { id: visitor.caller.personId ?? 0, name: visitor.name, email: visitor.email };
    const asked = await askForNewPasskey(depsOf(web), siteOf(c), person);
    keepStateToken(c, asked.token);
    return c.json(asked.options);
  });

  addAction(web, "/passkeys", [], async (c, visitor, form) => {
    const given = { token: takeStateToken(c), answer: textOf(form, "answer"), name: textOf(form, "name") };
    try {
      await addPasskey(web.api.deps.database, siteOf(c), given, personOf(c, visitor));
    } catch (error) {
      throw accessProblem(error) ?? error;
    }
    leaveNotice(c, "Passkey added. You can sign in with it from now on.");
    return c.redirect("/passkeys", 303);
  });

  addAction(web, "/passkeys/remove", [], async (c, visitor, form) => {
    const removed = await removePasskey(web.api.deps.database, textOf(form, "id"), personOf(c, visitor));
    leaveNotice(c, removed ? "The passkey is removed." : "You have no such passkey.");
    return c.redirect("/passkeys", 303);
  });
}

function personOf(c: WebContext, visitor: Visitor) {
  const { personId, vouchedBy } = visitor.caller;
  return { id: personId ?? 0, vouchedBy, requestId: c.get("requestId") };
}

function held(web: Web, visitor: Visitor): Promise<Passkey[]> {
  return listPasskeys(web.api.deps.database, visitor.caller.personId ?? 0);
}

interface PasskeysProps {
  rows: readonly Passkey[];
  visitor: Visitor;
  possible: boolean;
}

function Passkeys({ rows, visitor, possible }: PasskeysProps) {
  const { zone } = visitor.preferences;
  const form = { visitor, id: "new-passkey" };
  return (
    <>
      <TitleRow title="Passkeys" />
      {rows.length === 0 ? (
        <Empty title="You have no passkey yet">
          A passkey is kept by your own device and unlocked with your fingerprint or a code. Nothing that
          could be stolen is kept here.
        </Empty>
      ) : (
        <ListTable
          label="Your passkeys"
          rows={rows}
          columns={[
            { title: "Name", rowName: ({ name }) => <Given text={name} /> },
            { title: "Added", show: ({ createdAt }) => <Time at={createdAt} zone={zone} /> },
            { title: "Last used", show: ({ lastUsedAt }) => <Time at={lastUsedAt} zone={zone} /> },
            {
              title: "Remove",
              show: ({ id, name }) => (
                <form method="post" action="/passkeys/remove">
                  <FormToken csrf={visitor.csrf} />
                  <input type="hidden" name="id" value={id} />
                  <button type="submit">Remove {name}</button>
                </form>
              ),
            },
          ]}
        />
      )}
      <Panel title="Add a passkey" id="add-passkey">
        {possible ? (
          <PostForm {...form} action="/passkeys" back="/passkeys" data-passkey="/passkeys/ask">
            <input type="hidden" name="answer" value="" />
            <KeptField
              visitor={visitor}
              form={form.id}
              name="name"
              label="Name of the passkey"
              required
              maxlength={100}
              placeholder="My laptop"
            />
            <button type="submit">Add a passkey</button>
            <p class="form-error" role="alert" hidden />
          </PostForm>
        ) : (
          <p>
            Browsers make passkeys for names, not for addresses: open this page under the service's name, on
            this machine as <code>localhost</code>.
          </p>
        )}
      </Panel>
    </>
  );
}
