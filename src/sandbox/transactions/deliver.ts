import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { SandboxContext } from "../context.ts";
import type { Answer } from "../trouble/tamper.ts";
import { sendAnswer } from "./send-answer.ts";

/** Sends the answer past the router, which knows no way to break one off. */
export function deliver(c: SandboxContext, answer: Answer): Response {
  const outgoing = c.env?.outgoing;
  // Without a socket there is nothing to reset or to cut.
  if (!outgoing || !("socket" in outgoing) || "stream" in outgoing)
    return new Response(answer.body as string, { status: answer.status, headers: answer.headers });
  sendAnswer(outgoing, answer);
  // Loaded after a server has started, this is a lightweight response, which would be sent again. Reading it makes it ordinary.
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}
