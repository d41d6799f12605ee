import { createHash, randomUUID } from "node:crypto";

const field = "once";

/** For a form whose answer is a screen with a secret. When that screen is reloaded, the browser sends the form again. */
export function Once() {
  return <input type="hidden" name={field} value={randomUUID()} />;
}

/** What such a form makes is made once. With anything else in its fields, it is another request. */
export function onceHeader(form: FormData): Record<string, string> {
  if (!form.has(field)) return {};
  const sent = JSON.stringify([...form]);
  return { "idempotency-key": createHash("sha256").update(sent).digest("base64url") };
}
