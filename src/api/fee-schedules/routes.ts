import { z } from "@hono/zod-openapi";
import { parseInstant } from "../../core/instant.ts";
import {
  feeTermsSchema,
  importFeeSchedule,
  presentFeeTerm,
  readFeeFile,
} from "../../reconcile/fees/fee-schedule.ts";
import {
  type FeeSchedule,
  type FeeTerm,
  listFeeSchedules,
  readFeeSchedule,
} from "../../store/fees/fee-schedules.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { listExample, listOf, listText, time } from "../list.ts";
import { isoTime } from "../present.ts";
import { foundReference, notFound, referenceParams, referenceTo } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendListText, sendObject } from "../send.ts";
import { reasonField } from "../reason-field.ts";

const tag = "Providers";
const path = "/v1/fee-schedules";
const provider = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9_.-]{1,60}$/, "is no provider, such as moonpay")
  .openapi({ example: "moonpay" });

const termSchema = z
  .strictObject({
    kind: z.enum(["share", "processing_fee", "total_fee"]),
    side: z.enum(["buy", "sell"]).nullable(),
    payment_method: z.string().nullable(),
    currency: z.string().nullable(),
    over: z
      .string()
      .openapi({ description: "Holds for orders of this amount and more, up to the next step." }),
    flat: z.string(),
    percent: z.string().openapi({ description: "Of the order before fees; 1 is one percent." }),
    minimum: z.string().nullable(),
    maximum: z.string().nullable(),
    capped_by_fee: z
      .boolean()
      .openapi({ description: "Whether our share is never more than the fee that the line states." }),
  })
  .openapi("FeeTerm");

const described = {
  object: z.literal("fee_schedule"),
  id: z.string(),
  account: z.string(),
  provider: z.string(),
  version: z.int(),
  valid_from: time.openapi({ description: "Orders from then on go by it, until the next schedule begins." }),
  file_name: z.string().nullable(),
  imported_at: time,
  imported_by: z.string(),
  reason: z.string(),
};
const scheduleSchema = z.strictObject(described).openapi("FeeSchedule");
const wholeSchema = z
  .strictObject({ ...described, terms: z.array(termSchema) })
  .openapi("FeeScheduleWithTerms");

const example = {
  object: "fee_schedule",
  id: "fee_12",
  account: "default",
  provider: "moonpay",
  version: 2,
  valid_from: "2026-10-01T00:00:00.000Z",
  file_name: "moonpay-2026.csv",
  imported_at: "2026-09-20T09:00:00.000Z",
  imported_by: "key_3fK9ZQ2b",
  reason: "contract of September",
};
const termExample = {
  kind: "share",
  side: null,
  payment_method: "creditcard",
  currency: "EUR",
  over: "0",
  flat: "0",
  percent: "1",
  minimum: "0.5",
  maximum: null,
  capped_by_fee: false,
};

const newSchema = z
  .strictObject({
    account: z
      .string()
      .optional()
      .openapi({ description: "The account; needed when the key may see several.", example: "default" }),
    provider,
    valid_from: z
      .string()
      .refine((text) => parseInstant(text) !== null, "is no time, such as 2026-10-01T00:00:00Z"),
    terms: feeTermsSchema,
    reason: reasonField,
  })
  .openapi("NewFeeSchedule");

/** What was agreed with providers about fees and shares: versions that are kept, each valid from a day on. */
export function addFeeSchedules(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "listFeeSchedules",
      summary: "Fee schedules, of each provider the newest version first; there is one page",
      tag,
      access: needs("reconcile:read"),
      query: z.strictObject({ provider: provider.optional() }),
      response: {
        description: "All versions.",
        schema: listOf("FeeScheduleList", scheduleSchema),
        example: listExample(path, example),
      },
    },
    async ({ c, reader, query }) => {
      const asked = query.provider === undefined ? {} : { provider: query.provider };
      const found = await listFeeSchedules(reader.database, { accountIds: reader.accountIds, ...asked });
      const head = { hasMore: false, nextCursor: null, dataAsOf: null };
      return sendListText(
        c,
        listText(
          c.req.path,
          head,
          found.map((each) => JSON.stringify(present(each))),
        ),
      );
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
      response: {
        description: "The schedule.",
        schema: wholeSchema,
        example: { ...example, terms: [termExample] },
      },
      errors: ["not_found"],
    },
    async ({ c, reader, params: { id } }) => {
      const { database, accountIds } = reader;
      const found = await readFeeSchedule(database, { accountIds, id: foundReference("fee_schedule", id) });
      return sendObject(c, JSON.stringify(presentWhole(found ?? notFound("fee_schedule"))));
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
        "Nothing is replaced: orders before `valid_from` go by the schedule before it. A run is queued that compares every line again.",
      tag,
      access: needs("reconcile:write"),
      body: newSchema,
      response: {
        status: 201,
        description: "The schedule.",
        schema: wholeSchema,
        example: { ...example, terms: [termExample] },
      },
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
      return sendObject(c, JSON.stringify(saved && presentWhole(saved)), 201);
    },
  );
}

/** For the page, which takes the same files as the command line. */
export const readFeeUpload = readFeeFile;
export type PresentedTerm = ReturnType<typeof presentFeeTerm>;

function present(schedule: FeeSchedule) {
  return {
    object: "fee_schedule",
    id: referenceTo("fee_schedule", schedule.id),
    account: schedule.account,
    provider: schedule.provider,
    version: schedule.version,
    valid_from: isoTime(schedule.validFrom),
    file_name: schedule.fileName,
    imported_at: isoTime(schedule.importedAt),
    imported_by: schedule.importedBy,
    reason: schedule.reason,
  };
}

export function presentWhole({ terms, ...schedule }: FeeSchedule & { terms: readonly FeeTerm[] }) {
  return { ...present(schedule), terms: terms.map(presentFeeTerm) };
}
