import { describe, expect, test, vi } from "vitest";
import type { StepHandlers } from "../../src/upstream/run-steps.ts";
import type { ReceivedRequest, ScriptedAnswer } from "../support/http-server.ts";
import { canarySecret, failure, scripted } from "./client-for.ts";

const completed = { type: "completed", trackingUrl: "https://x/track" };
const formAt = (url: string) => ({
  type: "form",
  url,
  data: [{ type: "string", name: "email", humanName: "E-mail" }],
});

const unwanted = (type: string) => () => {
  throw new Error(`unexpected ${type} step`);
};

/** Handlers that fail the test unless a test gives its own. */
function handlers(given: Partial<StepHandlers> = {}): StepHandlers {
  return {
    form: unwanted("form"),
    iframe: unwanted("iframe"),
    redirect: unwanted("redirect"),
    pickOne: unwanted("pickOne"),
    file: unwanted("file"),
    wait: unwanted("wait"),
    completed: () => {},
    requestBankTransaction: unwanted("requestBankTransaction"),
    unknown: unwanted("unknown"),
    ...given,
  };
}

/** A server that answers by path, below the legacy surface. */
async function serverOf(answers: Record<string, (request: ReceivedRequest) => ScriptedAnswer>) {
  return scripted((request) => answers[request.path]?.(request) ?? { status: 404 });
}

test("a whole purchase: form, frame, choice, file, wait, redirect, completed", async () => {
  let waits = 0;
  const { upstream, server } = await serverOf({
    "/legacy/form": () => ({ body: { type: "iframe", url: "https://pay/frame" } }),
    "/legacy/file": () => ({ body: { type: "wait", url: "/legacy/wait" } }),
    "/legacy/wait": () => ({
      body: ++waits < 3 ? { type: "wait", url: "wait" } : { type: "redirect", url: "https://bank" },
    }),
  });
  const file = { type: "file", url: `${server.url}/legacy/file`, acceptedContentTypes: ["image/png"] };
  const seen: string[] = [];
  const end = await upstream.runSteps(
    formAt(`${server.url}/legacy/form`),
    handlers({
      form: (step) => {
        seen.push(step.data.map(({ humanName }) => humanName).join());
        return { email: "a@example.com", age: 30, terms: true };
      },
      iframe: async (step) => {
        seen.push(step.url);
        return {
          type: "nextStep",
          nextStep: { type: "pickOne", options: [formAt("x"), { title: "Passport", nextStep: file }] },
        };
      },
      pickOne: (step) => step.options.findIndex(({ title }) => title === "Passport"),
      file: (step) => ({ bytes: Buffer.from("png"), contentType: step.acceptedContentTypes[0] ?? "" }),
      wait: () => void seen.push("wait"),
      redirect: async () => JSON.stringify(completed),
      completed: (step) => void seen.push(step.trackingUrl ?? ""),
    }),
  );
  expect(end).toMatchObject({ end: "completed", stepsTaken: 9 });
  expect(seen).toEqual(["E-mail", "https://pay/frame", "wait", "wait", "wait", "https://x/track"]);
  expect(server.requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
    'POST /legacy/form {"email":"a@example.com","age":30,"terms":true}',
    "PUT /legacy/file png",
    "POST /legacy/wait {}",
    "POST /legacy/wait {}",
    "POST /legacy/wait {}",
  ]);
  expect(server.requests[1]?.headers["content-type"]).toBe("image/png");
});

test("a bank transaction ends the flow, and nothing is paid yet", async () => {
  const { upstream } = await serverOf({});
  const step = {
    type: "requestBankTransaction",
    depositBankAccount: { iban: "DE1" },
    reference: "R1",
    hint: null,
  };
  const requestBankTransaction = vi.fn<StepHandlers["requestBankTransaction"]>();
  const end = await upstream.runSteps(step, handlers({ requestBankTransaction }));
  expect(end).toEqual({ end: "bank_transaction_requested", step, stepsTaken: 1 });
  expect(requestBankTransaction).toHaveBeenCalledWith(step);
});

describe("a form that is refused is asked again, with the problems", () => {
  test.each([
    ["the specification's object, with 400", 400, { message: "not an address", field: "email" }, "email"],
    ["the same with 200", 200, { message: "not an address", field: "email" }, "email"],
    ["a list", 422, [{ field: "email", message: "not an address" }], "email"],
    ["plain text", 400, "not an address", null],
  ])("%s", async (_, status, body, field) => {
    const { upstream } = await serverOf({
      "/legacy/form": (request) => (request.body.includes("@") ? { body: completed } : { status, body }),
    });
    const problems: unknown[] = [];
    await upstream.runSteps(
      formAt("form"),
      handlers({
        form: (_step, given) => {
          problems.push(given);
          return { email: given.length === 0 ? "a" : "a@example.com" };
        },
      }),
    );
    expect(problems).toEqual([[], [{ message: "not an address", field, fatal: false }]]);
  });

  test("a fatal problem ends the flow", async () => {
    const { upstream, server } = await serverOf({
      "/legacy/form": () => ({ status: 400, body: { message: "blocked", fatal: true } }),
    });
    const error = await failure(upstream.runSteps(formAt("form"), handlers({ form: () => ({}) })));
    expect(error).toMatchObject({ code: "flow_refused", problems: [{ message: "blocked", fatal: true }] });
    expect(server.requests).toHaveLength(1);
  });

  test("a server that is never content ends it too", async () => {
    const { upstream, server } = await serverOf({
      "/legacy/form": () => ({ status: 400, body: { message: "no", field: "email" } }),
    });
    const error = await failure(upstream.runSteps(formAt("form"), handlers({ form: () => ({}) })));
    expect(error).toMatchObject({ code: "flow_refused", field: "email" });
    expect(server.requests).toHaveLength(20);
  });

  test("a server error is not a problem of the form, and the form is not sent twice", async () => {
    const { upstream, server } = await serverOf({
      "/legacy/form": () => ({ status: 503, body: { message: "down" } }),
    });
    const error = await failure(upstream.runSteps(formAt("form"), handlers({ form: () => ({}) })));
    expect(error).toMatchObject({ code: "server_error", retry: false });
    expect(server.requests).toHaveLength(1);
  });
});

test("a frame that says it came to nothing ends the flow with its words", async () => {
  const { upstream } = await serverOf({});
  const message = { error: { message: "card declined", fatal: true } };
  const given = handlers({ iframe: async () => message });
  const run = upstream.runSteps({ type: "iframe", url: "https://pay/frame" }, given);
  expect(await failure(run)).toMatchObject({
    code: "flow_refused",
    problems: [{ message: "card declined" }],
  });
});

describe("a type we do not know", () => {
  const step = { type: "emailVerification", url: "https://x", text: "look into your mail" };

  test("is shown to the handler, which may stop", async () => {
    const { upstream } = await serverOf({});
    const unknown = vi.fn<StepHandlers["unknown"]>(async () => null);
    expect(await upstream.runSteps(step, handlers({ unknown }))).toMatchObject({ end: "stopped" });
    expect(unknown).toHaveBeenCalledWith({ type: "unknown", word: "emailVerification", received: step });
  });

  test("or say what follows", async () => {
    const { upstream } = await serverOf({});
    expect(await upstream.runSteps(step, handlers({ unknown: async () => completed }))).toMatchObject({
      end: "completed",
    });
  });
});

describe("bounds", () => {
  test("a chain that leads round in a circle ends", async () => {
    const { upstream, server } = await serverOf({
      "/legacy/wait": () => ({ body: { type: "wait", url: "wait" } }),
    });
    const run = upstream.runSteps({ type: "wait", url: "wait" }, handlers({ wait: () => {} }), {
      stepsMax: 7,
    });
    expect(await failure(run)).toMatchObject({ code: "flow_too_long" });
    expect(server.requests).toHaveLength(7);
  });

  test.each([
    "https://evil.example/form",
    "//evil.example/form",
    "http://127.0.0.1:1/legacy/form",
    "/other/form",
    "http://",
  ])("nothing is sent to %s", async (url) => {
    const { upstream, server } = await serverOf({});
    const error = await failure(upstream.runSteps(formAt(url), handlers({ form: () => ({ email: "a" }) })));
    expect(error.code).toBe("url_refused");
    expect(server.requests).toEqual([]);
  });

  test("the secret is not sent with a step", async () => {
    const { upstream, server } = await serverOf({ "/legacy/form": () => ({ body: completed }) });
    await upstream.runSteps(formAt("form"), handlers({ form: () => ({}) }));
    expect(JSON.stringify(server.requests)).not.toContain(canarySecret);
  });

  test.each([null, 12, "soon", [], {}, { type: "" }, { type: "form" }, { type: "pickOne", options: [] }])(
    "%j is not a step",
    async (first) => {
      const { upstream } = await serverOf({});
      expect(await failure(upstream.runSteps(first, handlers()))).toMatchObject({ code: "body_unexpected" });
    },
  );

  test("an option that does not exist is our own mistake", async () => {
    const { upstream } = await serverOf({});
    const run = upstream.runSteps({ type: "pickOne", options: [completed] }, handlers({ pickOne: () => 1 }));
    await expect(run).rejects.toThrow(RangeError);
  });
});
