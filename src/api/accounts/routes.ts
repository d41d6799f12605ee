import {
  accountPaging,
  listAccounts,
  listCoverage,
  listFreshness,
} from "../../store/accounts/account-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { accountFilter } from "../parameters.ts";
import { account, coverage, freshness } from "./schema.ts";

const access = needs("transactions:read");
const filters = { account: accountFilter };

/** The accounts, how current each is, and what of it has been read. */
export function addAccountRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/accounts",
      operationId: "listAccounts",
      summary: "Accounts of the aggregator that are copied here",
      tag: "Accounts",
      access,
      filters,
      name: "AccountList",
      of: account,
      page: "A page of accounts.",
    },
    ({ reader, query }) => ({
      paging: accountPaging,
      read: (page) => listAccounts(reader, query, page),
      present: account.present,
    }),
  );

  addList(
    api,
    {
      path: "/v1/freshness",
      operationId: "listFreshness",
      summary: "How current the data of each account is",
      tag: "Sync",
      access,
      filters,
      name: "FreshnessList",
      of: freshness,
      page: "A page of accounts with their freshness.",
    },
    ({ reader, query }) => ({
      paging: accountPaging,
      read: (page) => listFreshness(reader, query, page),
      present: freshness.present,
    }),
  );

  addList(
    api,
    {
      path: "/v1/sync/coverage",
      operationId: "listCoverage",
      summary: "What has provably been read for each account, and the gaps in it",
      tag: "Sync",
      access,
      filters,
      name: "CoverageList",
      of: coverage,
      page: "A page of accounts with their coverage.",
    },
    ({ reader, query }) => ({
      paging: accountPaging,
      read: (page) => listCoverage(reader, query, page),
      present: coverage.present,
    }),
  );
}
