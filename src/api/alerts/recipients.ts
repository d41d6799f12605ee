import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import { isEmailAddress } from "../../core/email-address.ts";
import {
  addRecipient,
  type AlertRecipient,
  listRecipients,
  recipientPaging,
  recipientsMax,
  removeRecipient,
} from "../../store/notify/alert-recipients.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { describeObject } from "../object.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";

const tag = "Alerts";
// A mail tells of every account, so who gets it concerns the whole service.
const access = { ...needs("settings:write"), wholeService: true };

const recipient = describeObject({
  name: "AlertRecipient",
  object: "alert_recipient",
  members: { id: z.string(), address: z.string() },
  present: ({ id, address }: AlertRecipient) => ({ id, address }),
  example: { id: "arc_b5fc85e55755f9e0", address: "ada@example.com" },
});

const newRecipientSchema = z
  .strictObject({
    address: z
      .string()
      .refine(isEmailAddress, "is not an e-mail address, such as ada@example.com")
      .openapi({ example: "ada@example.com" }),
  })
  .openapi("NewAlertRecipient");

/** Whom alerts are sent to by e-mail. */
export function addAlertRecipientRoutes(api: Api): void {
  const { database } = api.deps;

  addList(
    api,
    {
      path: "/v1/alert-recipients",
      operationId: "listAlertRecipients",
      summary: "Who gets alerts by e-mail, by address",
      description: "For rules that send e-mail. Quiet hours and the daily digest are set on the page.",
      tag,
      access,
      name: "AlertRecipientList",
      of: recipient,
      page: "A page of recipients.",
      errors: ["key_limited"],
    },
    () => ({
      paging: recipientPaging,
      read: (page) => listRecipients(database, page),
      present: recipient.present,
    }),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/alert-recipients",
      operationId: "addAlertRecipient",
      summary: "Adds a recipient of alerts; adding an existing one changes nothing",
      tag,
      access,
      body: newRecipientSchema,
      response: { status: 201, description: "The recipient.", ...recipient },
      errors: ["key_limited", "state_conflict"],
    },
    async ({ c, caller, writing, body }) => {
      const added = await addRecipient(writing.database, body.address, authorOf(c, caller));
      if (added === null)
        throw problem("state_conflict", `There can be ${recipientsMax} recipients; use a mailing list.`);
      return sendObject(c, recipient.present(added), 201);
    },
  );

  addRoute(
    api,
    {
      method: "delete",
      path: "/v1/alert-recipients/{id}",
      operationId: "removeAlertRecipient",
      summary: "Removes a recipient of alerts",
      tag,
      access,
      params: z.strictObject({ id: z.string().openapi({ example: "arc_b5fc85e55755f9e0" }) }),
      response: { description: "The recipient as it was.", ...recipient },
      errors: ["key_limited", "not_found"],
    },
    async ({ c, caller, writing, params: { id } }) => {
      const removed = await removeRecipient(writing.database, id, authorOf(c, caller));
      if (removed === null) throw problem("not_found", "There is no such recipient.");
      return sendObject(c, recipient.present(removed));
    },
  );
}
