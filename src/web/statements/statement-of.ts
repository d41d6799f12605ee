import { problem } from "../../api/problem.ts";
import { findStatement, type StoredStatement } from "../../store/statements/statements.ts";
import type { Visitor, WebContext } from "../deps.ts";

/** The statement that the address names, among those that the visitor may see. */
export async function statementOf(c: WebContext, visitor: Visitor): Promise<StoredStatement> {
  const id = c.req.param("id") ?? "";
  const { database, accountIds } = visitor.reader;
  const statement = /^\d{1,15}$/.test(id) ? await findStatement(database, Number(id), accountIds) : null;
  if (statement === null)
    throw problem("not_found", "This statement does not exist, or you have no access to it.");
  return statement;
}
