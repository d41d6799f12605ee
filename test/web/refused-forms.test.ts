import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { createErasureKey } from "../../src/core/erasure.ts";
import { shortWaitMs } from "../../src/web/kept-figures.ts";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { usePage } from "./a-page.ts";
import { seedFormScreens } from "./form-screens.ts";
import { type FieldRead, type FormRead, readForms } from "./read-forms.ts";

const database = useTestDatabase();
const service = usePage(database, {
  approvalHandlers: { reopen: async () => undefined },
  openErasureKey: async () => createErasureKey(Buffer.alloc(32)),
});

/** Forms that lose what was typed, or show it in their own way, each with the reason. */
const ownWay: Record<string, string> = {
  "/preferences": "a choice from a list of ours, which is never refused",
  "/settings/providers/preview": "answers with itself, and says beside each field what is wrong",
  "/settings/profile-maker/sample": "a file, read again by choosing it again",
  "/discrepancies/workbook/preview":
    "a file, which has to be chosen again in any case; a page says what is wrong",
  "/statements/preview": "a file; answers with itself and what is wrong with it",
  "/receipts/preview": "a file; answers with itself and what is wrong with it",
  "/fees/preview": "a file; answers with itself and what is wrong with it",
};

/** Actions that no screen of this test offers, and why. */
const elsewhere: Record<string, string> = {
  "/passkeys/ask": "asked by a script",
  "/exports/cancel": "a button, while an export is written",
  "/discrepancies/workbook": "a button, after the preview",
  "/fees/import": "a button, after the preview",
  "/receipts/import": "a button, after the preview",
  "/statements/import": "a button, after the preview",
  "/settings/providers/save": "a button, after the preview",
  "/settings/profile-maker/check": "after a sample was read; says beside each field what is wrong",
  "/settings/profile-maker/save": "after a sample was read; says beside each field what is wrong",
  "/statements/lines/confirm": "a reason, as for a match, while matches are suggested",
};

const blank = { reason: " " };
/** What each form refuses. The other fields hold something that could be right, and all of them have to be kept. */
const refusedFor: Record<string, Record<string, string | null>> = {
  decide: blank,
  "set-limit": { amount: "fifty" },
  invite: { email: "nobody" },
  roles: { role: null },
  suspend: blank,
  "add-endpoint": { url: "not an address" },
  "add-rule": { kind: "value_at_risk", limit: "a lot" },
  "add-recipient": { address: "nobody" },
  "alert-settings": { zone: "Atlantis" },
  pause: blank,
  // A day that is read already.
  backfill: { from: "2030-01-01" },
  erase: { value: " " },
  "make-key": { name: " " },
  // Without the answer of a device.
  "new-passkey": {},
  bulk: { ...blank, action: "resolve" },
  ticked: { ...blank, action: "resolve" },
  close: { ...blank, action: "resolve" },
  owner: { seen: "1:999", action: "assign" },
  comment: { comment: " ", action: "comment" },
  "save-view": { name: " " },
  match: blank,
  unmatch: blank,
  split: blank,
  exclude: blank,
  "withdraw-form": blank,
  retire: blank,
  "make-export": { from: "some day" },
  "month-prepare": { "accept.read": " ", "accept.read_again": " " },
  "month-carry": blank,
  "month-reopen": blank,
};

const found: { screen: string; form: FormRead }[] = [];
let cookie = "";
/** Passkeys belong to names, so the screens are opened as localhost. */
const addressOf = (path: string) => service.url.replace("127.0.0.1", "localhost") + path;
const kindOf = ({ id }: FormRead) => id.replace(/-\d+$/, "");
const isPostForm = ({ id, hidden }: FormRead) => hidden["form"] === id && (hidden["back"] ?? "") !== "";

beforeAll(async () => {
  const { db } = database;
  const person = await aPerson(db, everyRole);
  cookie = await cookieOf(db, person);
  for (const path of await seedFormScreens(db, service, person)) {
    const html = await waitFor(`${path} is complete`, async () => {
      const answer = await fetch(addressOf(path), { headers: { cookie } });
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      const text = await answer.text();
      // What still follows says so to whoever cannot see it, in no words that could be changed.
      return text.includes('aria-busy="true"') ? null : text;
    });
    found.push(...readForms(html).map((form) => ({ screen: path, form })));
  }
});

test("every action of the page has its form on one of these screens", () => {
  const offered = new Set(found.flatMap(({ form }) => [form.action, ...form.otherActions]));
  const actions = [...service.api.access.keys()]
    .filter((route) => /^POST \/(?!v1\/|sign-in)/.test(route))
    .map((route) => route.replace("POST ", ""));
  expect(actions.filter((path) => !offered.has(path)).toSorted()).toEqual(Object.keys(elsewhere).toSorted());
});

test("every form with something to type comes back with it when it is refused", () => {
  const others = found.filter(({ form }) => form.typed.length > 0 && !isPostForm(form));
  const actions = new Set(others.map(({ form }) => form.action));
  expect([...actions].toSorted()).toEqual(Object.keys(ownWay).toSorted());
});

test("what is refused is said in the form, which still holds all that was typed, chosen and ticked", async () => {
  const forms = found.filter(({ form }) => form.typed.length > 0 && isPostForm(form));
  const kinds = new Set(forms.map(({ form }) => kindOf(form)));
  expect([...kinds].toSorted()).toEqual(Object.keys(refusedFor).toSorted());
  // The last of each kind: where a screen has several, the others must not speak for it.
  const each = new Map(forms.map((one) => [`${one.form.action} ${kindOf(one.form)}`, one]));
  const wrong: string[] = [];
  for (const { screen, form } of each.values()) {
    const sent = fill(form, refusedFor[kindOf(form)] ?? {});
    const { status, html } = await send(form, sent);
    const after = readForms(html);
    const back = after.find(({ id }) => id === form.id);
    const say = (what: string) => wrong.push(`${form.id} of ${screen}: ${what}`);
    if (status !== 200 && status !== 400) say(`answered ${status}`);
    if (back === undefined) say("is gone");
    else if (back.alert === null) say("does not say why it was refused");
    else if (back.isClosed) say("says so where nobody sees it");
    if (after.filter(({ alert }) => alert !== null).length > 1) say("is not the only one that was refused");
    for (const field of back?.typed ?? [])
      if (!isKept(field, sent)) say(`${field.name} now holds ${JSON.stringify(field.value)}`);
  }
  expect(wrong).toEqual([]);
});

test("a refused form comes back with its reason where its screen takes long", async () => {
  const form = found.find((one) => one.form.id === "make-export")?.form;
  if (form === undefined) throw new Error("no screen makes an export");
  const refused = await post(form.action, fill(form, refusedFor["make-export"] ?? {}));
  let shown: Promise<Response> | undefined;
  await database.db.transaction(async (tx) => {
    // As long as this is held, the report above the form, of what is receivable, cannot be made.
    await tx.query("lock table tieout.statement_lines in access exclusive mode");
    shown = follow(refused);
    await sleep(4 * shortWaitMs);
  });
  const back = readForms((await (await shown)?.text()) ?? "").find(({ id }) => id === form.id);
  expect(back?.alert).toContain("some day");
});

test("what is refused is said above the screen when its form has gone", async () => {
  const form = formTo("/approvals/approve");
  await database.db.query(
    "update tieout.approvals set state = 'withdrawn', decided_by = proposed_by, decided_at = now() where id = $1",
    [form.id.split("-")[1]],
  );
  const { status, html } = await send(form, fill(form, {}));
  expect(status).toBe(200);
  expect(readForms(html).some(({ id }) => id === form.id)).toBe(false);
  const [, said] = /id="notice"[^>]*><div class="form-error" role="alert"><p>([^<]*)/.exec(html) ?? [];
  expect(said).toBe("It is withdrawn already.");
});

test("what is to be erased is kept in no cookie", async () => {
  const form = formTo("/settings/erasures/propose");
  for (const path of [form.action, ...form.otherActions]) {
    const answer = await post(path, fill(form, { account: "nowhere" }));
    expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 400, []]);
    const back = readForms(await answer.text()).find(({ id }) => id === form.id);
    expect(back?.typed.map(({ value }) => value)).toEqual([
      "nowhere",
      "transaction",
      'typed "value"',
      'typed "reason"',
    ]);
  }
});

/** The form of which a button leads there. */
function formTo(action: string): FormRead {
  const one = found.find(({ form }) => form.otherActions.includes(action));
  if (one === undefined) throw new Error(`no screen leads to ${action}`);
  return one.form;
}

/** Something in every field, and other than before: the last of a list, each box the other way round. */
function fill(form: FormRead, refused: Record<string, string | null>): URLSearchParams {
  const sent = new URLSearchParams(form.hidden);
  for (const { name, type, value, isTicked, options } of form.typed) {
    if (name in refused) continue;
    if (type === "checkbox") {
      if (!isTicked) sent.append(name, value);
    } else if (type === "radio") sent.set(name, value);
    else if (type === "select") sent.append(name, options.at(-1) ?? "");
    else sent.append(name, { date: "2026-01-31", time: "07:30" }[type] ?? `typed "${name}"`);
  }
  for (const [name, value] of Object.entries(refused)) if (value !== null) sent.set(name, value);
  return sent;
}

function isKept({ name, type, value, isTicked }: FieldRead, sent: URLSearchParams): boolean {
  const isBox = type === "checkbox" || type === "radio";
  return isBox ? isTicked === sent.getAll(name).includes(value) : value === sent.get(name);
}

/** As a browser does it: with the cookie that comes with the refusal, to where that leads. */
async function send(form: FormRead, body: URLSearchParams): Promise<{ status: number; html: string }> {
  const first = await post(form.action, body);
  const answer = first.status === 303 ? await follow(first) : first;
  return { status: answer.status, html: await answer.text() };
}

function follow(answer: Response): Promise<Response> {
  const given = answer.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
  const headers = { cookie: [cookie, ...given].join("; ") };
  return fetch(addressOf(answer.headers.get("location") ?? ""), { headers });
}

function post(path: string, body: URLSearchParams): Promise<Response> {
  const headers = { cookie, origin: addressOf("") };
  return fetch(addressOf(path), { method: "POST", body, headers, redirect: "manual" });
}
