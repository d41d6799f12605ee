/** The forms of a screen, as a browser would fill them in and send them. */
export interface FormRead {
  id: string;
  action: string;
  /** Where its buttons send it instead. */
  otherActions: string[];
  /** Its hidden fields, as they are sent. */
  hidden: Record<string, string>;
  /** What a person types, chooses or ticks, and has not chosen the file for. */
  typed: FieldRead[];
  /** What it says about a refusal. */
  alert: string | null;
  /** It stands in a part of the screen that is closed. */
  isClosed: boolean;
}

export interface FieldRead {
  name: string;
  type: string;
  /** As it is sent; of boxes and radio buttons, if they are ticked. */
  value: string;
  isTicked: boolean;
  /** Of a list, what can be chosen. */
  options: string[];
}

export function readForms(html: string): FormRead[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)]
    .filter(([, head = ""]) => attribute(head, "method") === "post")
    .map(({ 1: head = "", 2: body = "", index }) => {
      const fields = readFields(body);
      const hidden = fields.filter(({ type }) => type === "hidden").map(({ name, value }) => [name, value]);
      return {
        id: attribute(head, "id") ?? "",
        action: attribute(head, "action") ?? "",
        otherActions: [...body.matchAll(/formaction="([^"]*)"/g)].map(([, action = ""]) => action),
        hidden: Object.fromEntries(hidden) as Record<string, string>,
        typed: fields.filter(({ type }) => !untyped.has(type)),
        alert: /role="alert"(?![^>]*hidden)[^>]*><p>([^<]+)</.exec(body)?.[1] ?? null,
        isClosed: isInClosedPart(html.slice(0, index)),
      };
    });
}

const untyped = new Set(["hidden", "submit", "button", "file"]);

function readFields(body: string): FieldRead[] {
  const found = body.matchAll(
    /<input\b([^>]*)>|<(select)\b([^>]*)>([\s\S]*?)<\/select>|<(textarea)\b([^>]*)>([^<]*)/g,
  );
  return [...found]
    .map(([, input, select, ofSelect = "", inside = "", textarea, ofArea = "", text = ""]) => {
      const head = input ?? (select === undefined ? ofArea : ofSelect);
      const options = [...inside.matchAll(/<option\b([^>]*)>/g)].map(([, option = ""]) => option);
      const chosen = options.find((option) => / selected\b/.test(option)) ?? options[0] ?? "";
      return {
        name: attribute(head, "name") ?? "",
        type: select ?? textarea ?? attribute(head, "type") ?? "text",
        value: textarea ? decode(text) : (attribute(select ? chosen : head, "value") ?? ""),
        isTicked: / checked\b/.test(head),
        isDisabled: / disabled\b/.test(head),
        options: options.map((option) => attribute(option, "value") ?? ""),
      };
    })
    .filter(({ name, isDisabled }) => name !== "" && !isDisabled);
}

function attribute(head: string, name: string): string | null {
  const [, value] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head) ?? [];
  return value === undefined ? null : decode(value);
}

function decode(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

function isInClosedPart(before: string): boolean {
  const open: boolean[] = [];
  for (const [tag] of before.matchAll(/<details\b[^>]*>|<\/details>/g)) {
    if (tag === "</details>") open.pop();
    else open.push(/ open\b/.test(tag));
  }
  return open.includes(false);
}
