import { addAction, addPage } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { reasonOf, textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { showLinkFor } from "./link.tsx";
import { showPeople } from "./list.tsx";

interface PersonAnswer {
  name: string;
  email: string;
  state: string;
  roles: string[];
  link?: string | null;
}

export function addPeople(web: Web): void {
  addPage(web, "/people", ["people:read"], (c, visitor) => showPeople(web, c, visitor));

  addAction(web, "/people/invite", ["people:write"], async (c, visitor, form) => {
    const invited = await askApi<PersonAnswer>(web, c, visitor, "/v1/people", {
      json: {
        name: textOf(form, "name"),
        email: textOf(form, "email"),
        roles: textsOf(form, "role"),
        ...accountsOf(form),
      },
    });
    const proposed = isAdminProposed(form, invited);
    return showLinkFor(web, c, visitor, { ...invited, invited: true, proposed });
  });

  addAction(web, "/people/link", ["people:write"], async (c, visitor, form) => {
    const linked = await change(web, c, visitor, form, { path: "/link", json: {} });
    const invited = linked.state === "invited";
    return showLinkFor(web, c, visitor, { ...linked, invited, proposed: false });
  });

  addAction(web, "/people/roles", ["people:write"], async (c, visitor, form) => {
    const json = { roles: textsOf(form, "role"), ...accountsOf(form) };
    const changed = await change(web, c, visitor, form, { method: "PATCH", json });
    const { name } = changed;
    return goBack(
      c,
      isAdminProposed(form, changed)
        ? `Proposed: another admin must approve on Approvals that ${name} becomes an admin. Other changes to their roles apply at once.`
        : `The roles of ${name} are changed.`,
    );
  });

  addAction(web, "/people/suspend", ["people:write"], async (c, visitor, form) => {
    const json = { reason: reasonOf(form) };
    const { name } = await change(web, c, visitor, form, { path: "/suspend", json });
    return goBack(c, `${name} is suspended and signed out everywhere, and their keys no longer work.`);
  });

  addAction(web, "/people/resume", ["people:write"], async (c, visitor, form) => {
    const { name } = await change(web, c, visitor, form, { path: "/resume", json: {} });
    return goBack(c, `${name} can sign in again.`);
  });
}

async function change(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  form: FormData,
  { path = "", ...question }: { path?: string; method?: "PATCH"; json: object },
): Promise<PersonAnswer> {
  const id = encodeURIComponent(textOf(form, "id"));
  return askApi<PersonAnswer>(web, c, visitor, `/v1/people/${id}${path}`, question);
}

/** Once there are two admins, the role is not given at once. */
function isAdminProposed(form: FormData, { roles }: PersonAnswer): boolean {
  return textsOf(form, "role").includes("admin") && !roles.includes("admin");
}

function goBack(c: WebContext, notice: string): Response {
  leaveNotice(c, notice);
  return c.redirect("/people", 303);
}

function textsOf(form: FormData, name: string): string[] {
  return form.getAll(name).filter((value) => typeof value === "string");
}

/** None chosen: all that the inviting person sees. */
function accountsOf(form: FormData): { accounts?: string[] } {
  const accounts = textsOf(form, "account");
  return accounts.length === 0 ? {} : { accounts };
}
