import type { z } from "@hono/zod-openapi";
import { formatInstant } from "../../core/instant.ts";
import { carryForward } from "../../close/carry-forward.ts";
import { listPeriods, type Period } from "../../close/period.ts";
import { preparePeriod } from "../../close/prepare.ts";
import { readPeriod } from "../../close/read-period.ts";
import { approvePeriod, reopenPeriod } from "../../close/sign.ts";
import type { AccountReader } from "../../store/conditions.ts";
import type { Database } from "../../store/database.ts";
import type { Signer } from "../../store/periods/period-writes.ts";
import { needs } from "../../access/access.ts";
import { actorOfPerson, type Caller } from "../../access/caller.ts";
import type { Api, ApiContext } from "../deps.ts";
import { freshnessFor, listResponse, sendWhole } from "../list.ts";
import { problem } from "../problem.ts";
import { addRoute, type Route } from "../route.ts";
import { sendObject } from "../send.ts";
import * as actions from "./action-schema.ts";
import { findAskedPeriod } from "./find-period.ts";
import { addPackRoutes, type PackRouteDeps } from "./pack-routes.ts";
import { withPeriodProblems } from "./problems.ts";
import { period, periodDetail, presentPeriod, presentPeriodDetail } from "./schema.ts";

const tag = "Periods";
const reading = needs("reconcile:read");
const writing = needs("reconcile:write");
const approving = needs("approvals:write");
const refusals = ["not_found", "not_allowed", "account_required", "period_refused"] as const;
const { monthParams: params, accountQuery: query } = actions;
const { schema, example } = periodDetail;
const detail = { description: "The period afterwards.", schema, example };

type SignatureRoute<Body extends z.ZodType> = Pick<
  Route<typeof params, typeof query, Body>,
  "path" | "operationId" | "summary" | "description" | "access"
> & { body: Body };

/** Months: their checklist, their two signatures, and the evidence in one file. */
export function periodRoutes(deps: PackRouteDeps): (api: Api) => void {
  return (api) => {
    const now = () => formatInstant(api.deps.now());
    const sendPeriod = async (
      c: ApiContext,
      reader: AccountReader,
      asked: { account?: string | undefined; month: string },
    ) => {
      const found = await findAskedPeriod(reader, asked);
      return sendObject(c, presentPeriodDetail(await readPeriod(deps.database, found, reader.database)));
    };

    addRoute(
      api,
      {
        method: "get",
        path: "/v1/periods",
        operationId: "listPeriods",
        summary: "The months of every account, oldest first, with their states",
        tag,
        access: reading,
        response: listResponse("PeriodList", period, {
          url: "/v1/periods",
          description: "All of them, up to the current month.",
        }),
      },
      async ({ c, caller, reader }) => {
        const periods = await listPeriods(reader, now());
        return sendWhole(c, periods.map(presentPeriod), await freshnessFor(api, caller));
      },
    );

    addRoute(
      api,
      {
        method: "get",
        path: "/v1/periods/{month}",
        operationId: "getPeriod",
        summary: "One month with its checklist, what was accepted, and who signed",
        description: "An open month is shown as it is now, a signed one as it was signed.",
        tag,
        access: reading,
        params,
        query,
        response: { ...detail, description: "The period." },
        fromPrimary: true,
        errors: ["not_found", "account_required"],
      },
      ({ c, reader, params: asked, query: { account } }) => sendPeriod(c, reader, { ...asked, account }),
    );

    /** Every signature answers with the period afterwards. */
    const addSignature = <Body extends z.ZodType>(
      route: SignatureRoute<Body>,
      sign: (period: Period, signer: Signer, body: z.output<Body>, database: Database) => Promise<unknown>,
    ) =>
      addRoute(
        api,
        { ...route, method: "post", tag, params, query, response: detail, errors: refusals },
        async ({ c, caller, reader, params: asked, query: { account }, body, writing: { database } }) => {
          const found = await findAskedPeriod(reader, { ...asked, account });
          await withPeriodProblems(() => sign(found, signerOf(c, caller), body, database));
          return sendPeriod(c, reader, found);
        },
      );

    addSignature(
      {
        path: "/v1/periods/{month}/prepare",
        operationId: "preparePeriod",
        summary: "The first signature: the month as it is known now",
        description:
          "Has the month read again from the aggregator if that has not been done since its end. Refused while a line of the checklist is red, unless it is accepted with a reason. Lapses when anything beneath it changes.",
        access: writing,
        body: actions.prepareBody,
      },
      (found, signer, { accepted }, database) =>
        preparePeriod(deps.database, found, accepted, signer, { writing: database }),
    );
    addSignature(
      {
        path: "/v1/periods/{month}/approve",
        operationId: "approvePeriod",
        summary: "The second signature, by another person: the month is closed",
        description:
          "Pins what was known when the month was prepared. Later decisions go into the next open month.",
        access: approving,
        body: actions.approveBody,
      },
      (found, signer, body, database) =>
        approvePeriod(database, found, signer, { packSha256: body.pack_sha256 }, { lapsing: deps.database }),
    );
    addSignature(
      {
        path: "/v1/periods/{month}/reopen",
        operationId: "reopenPeriod",
        summary: "Asks to reopen a closed month, or agrees to it",
        description: "Two people reopen a month: the first call asks, and another person's agrees.",
        access: approving,
        body: actions.reopenBody,
      },
      (found, signer, { reason }, database) => reopenPeriod(database, found, reason, signer),
    );

    addRoute(
      api,
      {
        method: "post",
        path: "/v1/periods/{month}/carry",
        operationId: "carryDiscrepancies",
        summary: "Carries open errors into the next month, with an owner and a reason",
        description:
          "The errors you name, or all open ones, optionally of one provider or code. Each is assigned to the owner, and its events say so. Refused for a closed month.",
        tag,
        access: writing,
        params,
        query,
        body: actions.carryBody,
        response: { description: "How many were carried, and to whom.", ...actions.carriedDiscrepancies },
        errors: refusals,
      },
      async ({ c, caller, reader, params: asked, query: { account }, body, writing: { database } }) => {
        const found = await findAskedPeriod(reader, { ...asked, account });
        const { discrepancies, ...wanted } = body;
        const ids = discrepancies?.map((id) => Number(id.slice("dis_".length)));
        const carried = await withPeriodProblems(() =>
          carryForward(database, found, { ...wanted, ids }, signerOf(c, caller)),
        );
        return sendObject(c, actions.carriedDiscrepancies.present(carried));
      },
    );

    addPackRoutes(api, deps);
  };
}

/** Only people sign: a key signs for its owner, and one without an owner could be either of the two. */
function signerOf(c: ApiContext, { personId, personName, name, keyId, vouchedBy }: Caller): Signer {
  if (personId === null) {
    throw problem(
      "not_allowed",
      "A month is signed by people, and this key has no owner. Sign in on the page, or use a key of your own.",
    );
  }
  return {
    actor: actorOfPerson(personId),
    name: personName ?? name,
    ...(keyId === null ? {} : { key: { id: `key_${keyId}`, name } }),
    vouchedBy,
    requestId: c.get("requestId"),
  };
}
