import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answers } from "./answers.ts";
import { sendAnswer } from "./send-answer.ts";

/**
 * The two endpoints straight on Node's server: a listing of millions of records asks for one page after the other, and
 * this way a page costs half as much as through the router. `false`: the request is not one of theirs.
 */
export function createTransactionHandler(
  answers: Answers,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { url = "", method, headers } = request;
    if (method !== "GET" || !url.startsWith(path)) return false;
    const mark = url.indexOf("?");
    const name = url.slice(path.length, mark < 0 ? undefined : mark);
    const asked = {
      authorization: headers.authorization,
      serviceSecret: one(headers["x-service-secret"]),
      query: mark < 0 ? "" : url.slice(mark + 1),
    };
    if (name === "") sendAnswer(response, answers.list(asked));
    else if (/^\/[^/]+$/.test(name)) sendAnswer(response, answers.single(asked, decode(name.slice(1))));
    else return false;
    return true;
  };
}

const path = "/transactions";

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an id of anything, and reported as that.
    return text;
  }
}
