import { createPublicKey, type KeyObject } from "node:crypto";
import { open } from "node:fs/promises";
import { z } from "@hono/zod-openapi";
import { withPack, type WrittenPack } from "../../close/sign-off.ts";
import type { Database } from "../../store/database.ts";
import { auditPack } from "../../store/periods/period-writes.ts";
import { everyone, needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addOpenRoute } from "../open-route.ts";
import { limitReports, type ReportPlaces } from "../reports/running-reports.ts";
import { addRoute } from "../route.ts";
import { authorOf, sendFile } from "../send-file.ts";
import { untilGone } from "../while-waited.ts";
import { findAskedPeriod } from "./find-period.ts";
import { withPeriodProblems } from "./problems.ts";
import { monthParams as params, packQuery as query } from "./action-schema.ts";

export interface PackRouteDeps {
  /** The pool of exports: checklists and packs hold a connection for as long as they last. */
  database: Database;
  /** What packs are signed with. */
  signingKey: KeyObject;
  /** How many packs are made at the same time. */
  places?: ReportPlaces;
}

/** A pack is all reports of a month, three at a time: two of them keep the database as busy as the downloads of reports may. */
const placesDefault = { max: 2 };

/** The evidence of a month, and the key to check it with. */
export function addPackRoutes(
  api: Api,
  { database, signingKey, places = placesDefault }: PackRouteDeps,
): void {
  const takePlace = limitReports(places);
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/periods/{month}/pack",
      operationId: "getPack",
      summary: "The evidence of a signed month: one zip, always the same bytes",
      description:
        "Built again each time, and compared with what was signed. After reopening, `pack_sha256` selects the close. `tieout close verify` checks it without a database.",
      tag: "Periods",
      access: { ...needs("reconcile:read", "exports:write"), policy: "download" },
      params,
      query,
      response: {
        description: "The pack.",
        contentType: "application/zip",
        schema: z.string(),
        example: "PK",
      },
      fromPrimary: true,
      errors: ["not_found", "account_required", "period_refused"],
    },
    async ({ c, caller, reader, params: asked, query: { account, pack_sha256 } }) => {
      const period = await findAskedPeriod(reader, { ...asked, account });
      const send = async ({ path, fileName, manifestSha256 }: WrittenPack) => {
        // Open while its folder goes: what is open can be read to its end.
        const file = await open(path, "r");
        const { size } = await file.stat();
        const taken = { ...period, packSha256: manifestSha256 };
        await auditPack(api.deps.database, taken, authorOf(c, caller));
        return sendFile(c, file.createReadStream(), { fileName, "Content-Length": String(size) });
      };
      const wanted = { packSha256: pack_sha256 };
      const end = await takePlace(caller, untilGone(c));
      return withPeriodProblems(() => withPack(database, signingKey, period, send, wanted)).finally(end);
    },
  );

  const pem = createPublicKey(signingKey).export({ type: "spki", format: "pem" }).toString();
  addOpenRoute(
    api,
    {
      path: "/signing-key.pem",
      operationId: "getSigningKey",
      summary: "The public key that packs and heads of the audit log are signed with",
      access: everyone,
      contentType: "application/x-pem-file",
      example: "-----BEGIN PUBLIC KEY-----\n",
    },
    (c) => c.body(pem, 200, { "content-type": "application/x-pem-file" }),
  );
}
