import { randomBytes } from "node:crypto";
import { parseApiKey } from "../../src/core/api-key.ts";
import { HOUR } from "../../src/core/duration.ts";
import type { Database } from "../../src/store/database.ts";
import { openSession } from "../../src/store/people/sessions.ts";
import { csrfTokenOf, newToken } from "../../src/web/session-cookie.ts";

/** Somebody who is signed in on the page with a key, without a browser. */
export interface VisitorOfTest {
  headers: { cookie: string };
  csrf: string;
}

export async function signIn(database: Database, key: string): Promise<VisitorOfTest> {
  const token = newToken(randomBytes);
  const keyId = parseApiKey(key)?.id ?? "";
  await openSession(database, { token, keyId, keepMs: HOUR, requestId: "test" });
  return { headers: { cookie: `tieout_session=${token}` }, csrf: csrfTokenOf(token) };
}
