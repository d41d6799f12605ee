import { addPage } from "../add-page.tsx";
import type { Web } from "../deps.ts";
import { sendTransactionsCsv } from "./csv.ts";
import { showTransactions } from "./list.tsx";
import { showTransaction } from "./one.tsx";

export function addTransactions(web: Web): void {
  const scopes = ["transactions:read"] as const;
  addPage(web, "/transactions", scopes, (c, visitor) => showTransactions(web, c, visitor));
  addPage(web, "/transactions.csv", scopes, (c, visitor) => sendTransactionsCsv(web, c, visitor));
  addPage(web, "/transactions/one", scopes, (c, visitor) => showTransaction(web, c, visitor));
}
