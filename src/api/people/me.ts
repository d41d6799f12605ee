import { scopes } from "../../core/scopes.ts";
import { readPerson } from "../../store/people/people.ts";
import { accountNamesOf } from "../../store/accounts/accounts.ts";
import type { Api } from "../deps.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { me, person } from "./schema.ts";

/** Who am I, and what may I do? For programs with a key, and for people. */
export function addMeRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/me",
      operationId: "getMe",
      summary: "Who you are, and what you may do",
      tag: "Administration",
      access: { scopes: [], anyKey: true },
      response: { description: "The key, or the person who is signed in.", ...me },
    },
    async ({ c, caller }) => {
      const { database } = api.deps;
      const { personId, accountIds } = caller;
      const owner = personId === null ? null : await readPerson({ database, accountIds: null }, personId);
      const shown = me.present({
        ...caller,
        person: owner && person.present(owner),
        scopes: scopes.filter((scope) => caller.scopes.has(scope)),
        accounts: accountIds && (await accountNamesOf(database, accountIds)),
      });
      return sendObject(c, shown);
    },
  );
}
