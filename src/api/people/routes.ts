import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import { invitePerson, linkForPerson, type PeopleDeps, setRoles, setSuspended } from "../../access/people.ts";
import { linkAddress } from "../../access/sign-in.ts";
import { listPeople, type Person, personPaging, readPerson } from "../../store/people/people.ts";
import { chooseAccounts } from "../choose-accounts.ts";
import type { Api, ApiContext } from "../deps.ts";
import type { Writing } from "../idempotency.ts";
import { addList } from "../list.ts";
import { choices } from "../parameters.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { reasonField } from "../body-fields.ts";
import { sendObject, sendSecret } from "../send.ts";
import { changedPersonSchema, linkedPerson, newPersonSchema, person, states } from "./schema.ts";

const tag = "Administration";
const reading = needs("people:read");
const writing = needs("people:write");
const onePerson = { description: "The person.", ...person };
const withLink = { status: 201, description: "The person and the link.", ...linkedPerson } as const;
const withoutLink = (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), link: null });

export function addPeopleRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/people",
      operationId: "listPeople",
      summary: "People, in the order in which they were added",
      tag,
      access: reading,
      filters: { state: choices("Only in these states.", states) },
      name: "PersonList",
      of: person,
      page: "A page of people.",
      fromPrimary: true,
    },
    ({ reader, query }) => ({
      paging: personPaging,
      read: (page) => listPeople(reader, query, page),
      present: person.present,
    }),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/people/{id}",
      operationId: "getPerson",
      summary: "One person",
      tag,
      access: reading,
      params: referenceParams("person"),
      response: onePerson,
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const found = await readPerson(reader, foundReference("person", params.id));
      return sendPerson(c, found ?? notFound("person"));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/people",
      operationId: "invitePerson",
      summary: "Invites a person, and shows their sign-in link",
      description:
        "The link works once, within seven days. You can give only roles and accounts that you have.",
      tag,
      access: writing,
      body: newPersonSchema,
      response: withLink,
      errors: ["not_allowed", "state_conflict"],
      forStorage: withoutLink,
    },
    async ({ c, caller, reader, writing: by, body }) => {
      const { accounts, ...wanted } = body;
      const accountIds = await chooseAccounts(reader, accounts);
      return sendLinked(
        api,
        c,
        await invitePerson(peopleDeps(api, c, caller, by), { ...wanted, accountIds }),
      );
    },
  );

  addRoute(
    api,
    {
      method: "patch",
      path: "/v1/people/{id}",
      operationId: "changePersonRoles",
      summary: "Changes a person's roles or accounts",
      tag,
      access: writing,
      params: referenceParams("person"),
      body: changedPersonSchema,
      response: onePerson,
      errors: ["not_found", "not_allowed", "state_conflict"],
    },
    async ({ c, caller, reader, writing: by, params, body }) => {
      const id = foundReference("person", params.id);
      const accountIds =
        body.accounts === undefined
          ? ((await readPerson(reader, id)) ?? notFound("person")).accountIds
          : await chooseAccounts(reader, body.accounts);
      return sendPerson(
        c,
        await setRoles(peopleDeps(api, c, caller, by), id, { roles: body.roles, accountIds }),
      );
    },
  );

  for (const { verb, suspended, summary, description } of [
    {
      verb: "suspend",
      suspended: true,
      summary: "Suspends a person",
      description:
        "Their sessions and links end at once, and their keys stop working until the suspension ends.",
    },
    {
      verb: "resume",
      suspended: false,
      summary: "Ends a person's suspension",
      description: "Their keys work again.",
    },
  ]) {
    addRoute(
      api,
      {
        method: "post",
        path: `/v1/people/{id}/${verb}`,
        operationId: `${verb}Person`,
        summary,
        description,
        tag,
        access: writing,
        params: referenceParams("person"),
        body: z.strictObject({ reason: reasonField.optional() }),
        response: onePerson,
        errors: ["not_found", "not_allowed", "state_conflict"],
      },
      async ({ c, caller, writing: by, params, body }) => {
        const id = foundReference("person", params.id);
        const { reason } = body;
        const change = { suspended, ...(reason === undefined ? {} : { reason }) };
        return sendPerson(c, await setSuspended(peopleDeps(api, c, caller, by), id, change));
      },
    );
  }

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/people/{id}/link",
      operationId: "makeSignInLink",
      summary: "Creates a link that signs a person in, once",
      description:
        "Valid for 15 minutes, or seven days for an invitation. The previous link no longer works.",
      tag,
      access: writing,
      params: referenceParams("person"),
      body: z.strictObject({}),
      response: withLink,
      errors: ["not_found", "not_allowed", "state_conflict"],
      forStorage: withoutLink,
    },
    async ({ c, caller, writing: by, params }) =>
      sendLinked(
        api,
        c,
        await linkForPerson(peopleDeps(api, c, caller, by), foundReference("person", params.id)),
      ),
  );
}

function peopleDeps(api: Api, c: ApiContext, granter: Caller, { database }: Writing): PeopleDeps {
  return {
    database,
    randomBytes: api.deps.randomBytes ?? randomBytes,
    granter,
    requestId: c.get("requestId"),
  };
}

function sendPerson(c: ApiContext, found: Person): Response {
  return sendObject(c, person.present(found));
}

function sendLinked(api: Api, c: ApiContext, made: { person: Person; token: string }): Response {
  const link = linkAddress(api.deps.baseUrl ?? "", made.token);
  return sendSecret(c, { ...person.present(made.person), link }, 201);
}
