import type { Database } from "../../src/store/database.ts";
import { csrfTokenOf } from "../../src/web/session-cookie.ts";
import { aSession } from "../support/people.ts";

/** Someone who is signed in on the page, without a browser. */
export interface VisitorOfTest {
  headers: { cookie: string };
  csrf: string;
}

export async function signIn(database: Database, personId: number): Promise<VisitorOfTest> {
  const token = await aSession(database, personId);
  return { headers: { cookie: `tieout_session=${token}` }, csrf: csrfTokenOf(token) };
}
