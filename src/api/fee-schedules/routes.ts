import { z } from "@hono/zod-openapi";
import { parseInstant } from "../../core/instant.ts";
import { readText } from "../../reconcile/read-text.ts";
import { type FeeFile, importFeeSchedule, readFeeFile } from "../../reconcile/fees/fee-schedule.ts";
import { listFeeSchedules, readFeeSchedule } from "../../store/fees/fee-schedules.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import { providerName } from "../body-fields.ts";
import type { Api } from "../deps.ts";
import { listResponse, sendWhole } from "../list.ts";
import { fieldParameter } from "../parameters.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { feeSchedule, newSchema, presentWhole, wholeSchedule } from "./schema.ts";

const tag = "Providers";
const path = "/v1/fee-schedules";
/** What was agreed with providers about fees and shares: versions that are kept, each valid from a day on. */
export function addFeeSchedules(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "listFeeSchedules",
      summary: "Fee schedules, newest version first for each provider; there is one page",
      tag,
      access: needs("reconcile:read"),
      query: z.strictObject({
        provider: fieldParameter("Only of this provider.", "moonpay", providerName),
      }),
      response: listResponse("FeeScheduleList", feeSchedule, { url: path, description: "All versions." }),
    },
    async ({ c, reader, query }) => {
      const { database, accountIds } = reader;
      const found = await listFeeSchedules(database, { accountIds, ...query });
      return sendWhole(c, found.map(feeSchedule.present));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: `${path}/{id}`,
      operationId: "getFeeSchedule",
      summary: "One version, with its terms",
      tag,
      access: needs("reconcile:read"),
      params: referenceParams("fee_schedule"),
      response: { description: "The schedule.", ...wholeSchedule },
      errors: ["not_found"],
    },
    async ({ c, reader, params: { id } }) => {
      const { database, accountIds } = reader;
      const found = await readFeeSchedule(database, { accountIds, id: foundReference("fee_schedule", id) });
      return sendObject(c, presentWhole(found ?? notFound("fee_schedule")));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path,
      operationId: "addFeeSchedule",
      summary: "Adds a version of a provider's fee schedule",
      description:
        "Nothing is replaced: orders before `valid_from` use the previous schedule. A run that compares every line again is queued.",
      tag,
      access: needs("reconcile:write"),
      body: newSchema,
      response: { status: 201, description: "The schedule.", ...wholeSchedule },
      errors: ["account_required"],
    },
    async ({ c, caller, writing: { database, afterwards }, body }) => {
      const account = await chooseAccount(database, caller, body.account);
      const { id } = await importFeeSchedule(database, {
        account,
        provider: body.provider,
        validFrom: parseInstant(body.valid_from) ?? body.valid_from,
        terms: body.terms,
        fileName: null,
        reason: body.reason,
        ...authorOf(c, caller),
      });
      afterwards(async () => api.deps.wakeReconcile?.(account.id));
      const saved = await readFeeSchedule(database, { accountIds: null, id });
      return sendObject(c, presentWhole(saved ?? notFound("fee_schedule")), 201);
    },
  );
}

/** For the page, which takes the same files as the command line. */
export function readFeeUpload(bytes: Uint8Array, fileName: string): FeeFile {
  return readFeeFile(readText(bytes, fileName, { code: "fees_invalid", takesJson: true }), fileName);
}
