/** What can be sent to one route: learnt from the route table, from the API's own description, and from the page's links and forms. */
export interface Target {
  method: string;
  /** As the route is declared. */
  path: string;
  /** Addresses that were seen to lead there. */
  places: string[];
  query: Fields;
  body: Body;
}

/** Names, and values that would be taken. */
export type Fields = Map<string, string[]>;

export type Body =
  | { kind: "none" }
  | { kind: "json"; example: unknown }
  | { kind: "file" }
  | { kind: "form"; fields: Fields; hasFile: boolean };

/** Answers as someone who may see everything: on the page for addresses of the page, otherwise with a key. */
export type Ask = (path: string) => Promise<string>;

const addressesPerRoute = 4;

export async function readSurface(routes: Iterable<string>, ask: Ask): Promise<Target[]> {
  const targets = [...routes].map((route): Target => {
    const [method = "GET", path = "/"] = route.split(" ");
    const places = path.includes(":") ? [] : [path];
    return { method, path, places, query: new Map(), body: { kind: "none" } };
  });
  await readDescription(targets, ask);
  await walkPages(targets, ask);
  return targets;
}

export function isOfApi(path: string): boolean {
  return /^\/(v1|mirror|metrics)(\/|$)/.test(path);
}

interface Operation {
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  example?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

async function readDescription(targets: readonly Target[], ask: Ask): Promise<void> {
  const described = JSON.parse(await ask("/openapi.json")) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const { schemas } = described.components;
  for (const target of targets) {
    const path = target.path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
    const operation = described.paths[path]?.[target.method.toLowerCase()];
    for (const { name, in: place, schema } of operation?.parameters ?? [])
      if (place === "query") add(target.query, name, wordsOf(exampleOf(schema ?? {}, schemas)));
    const [kind, content] = Object.entries(operation?.requestBody?.content ?? {})[0] ?? [];
    if (kind === "application/json")
      target.body = {
        kind: "json",
        example: content?.example ?? exampleOf(content?.schema ?? {}, schemas),
      };
    else if (kind !== undefined) target.body = { kind: "file" };
  }
  for (const { method, path } of targets) {
    if (method !== "GET" || !path.startsWith("/v1/") || path.includes(":")) continue;
    const below = targets.filter((target) => target.path.startsWith(`${path}/:`));
    if (below.length === 0) continue;
    for (const id of idsIn(await ask(path)))
      for (const target of below)
        if (target.places.length < addressesPerRoute)
          target.places.push(target.path.replace(/:\w+(\{[^}]*\})?/, encodeURIComponent(id)));
  }
}

function exampleOf(schema: Schema, schemas: Record<string, Schema>, depth = 0): unknown {
  if (depth > 8) return null;
  if (schema.$ref !== undefined)
    return exampleOf(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas, depth + 1);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice) return exampleOf(choice, schemas, depth + 1);
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, exampleOf(one, schemas, depth + 1)]),
    );
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return schema.items ? [exampleOf(schema.items, schemas, depth + 1)] : [];
  if (type === "integer" || type === "number") return 1;
  return type === "boolean" ? true : type === "object" ? {} : "x";
}

function wordsOf(example: unknown): string[] {
  if (Array.isArray(example)) return example.flatMap(wordsOf);
  if (typeof example === "string") return [example];
  return typeof example === "number" || typeof example === "boolean" ? [String(example)] : [];
}

/** How a listing names what is in it. */
function idsIn(text: string): string[] {
  const { data } = JSON.parse(text) as { data?: Record<string, unknown>[] };
  if (!Array.isArray(data)) return [];
  return data
    .map((row) => row["id"] ?? row["transaction_id"] ?? row["name"])
    .filter((id) => typeof id === "string")
    .slice(0, addressesPerRoute);
}

/** Two steps from every screen that has an address of its own: what they link to, and what their forms send. */
async function walkPages(targets: readonly Target[], ask: Ask): Promise<void> {
  const screens = targets.filter(({ method, path }) => method === "GET" && !isOfApi(path));
  const asked = new Set<string>();
  let next = screens.flatMap(({ places }) => places);
  for (let step = 0; step < 2; step += 1) {
    const found: string[] = [];
    for (const address of next) {
      if (asked.has(address) || /sign-out|^\/openapi|^\/docs/.test(address)) continue;
      asked.add(address);
      const html = await ask(address);
      takeForms(targets, html);
      found.push(...takeLinks(screens, html));
    }
    next = found;
  }
}

/** The addresses that are new to their route. */
function takeLinks(screens: readonly Target[], html: string): string[] {
  const taken: string[] = [];
  for (const [, href = ""] of html.matchAll(/\b(?:href|hx-get|formaction)="(\/[^"]*)"/g)) {
    const address = unescapeHtml(href).replace(/#.*$/s, "");
    const [path = "", query = ""] = address.split("?");
    const screen = screens.find((one) => patternOf(one.path).test(path));
    if (screen === undefined) continue;
    for (const [name, value] of new URLSearchParams(query)) add(screen.query, name, [value]);
    if (screen.places.includes(address) || screen.places.length >= addressesPerRoute) continue;
    screen.places.push(address);
    taken.push(address);
  }
  return taken;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+(\{[^}]*\})?/g, "[^/]+")}$`);
}

function takeForms(targets: readonly Target[], html: string): void {
  for (const [, opening = "", inside = ""] of html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    const method = attribute(opening, "method")?.toUpperCase() ?? "GET";
    const buttons = [...inside.matchAll(/\bformaction="([^"]*)"/g)].map(([, place = ""]) => place);
    for (const action of [attribute(opening, "action") ?? "", ...buttons]) {
      const path = action.split("?")[0] ?? "";
      const target = targets.find((one) => one.method === method && patternOf(one.path).test(path));
      if (target !== undefined) takeFields(target, inside);
    }
  }
}

function takeFields(target: Target, inside: string): void {
  if (target.method !== "GET" && target.body.kind !== "form")
    target.body = { kind: "form", fields: new Map(), hasFile: false };
  const fields = target.body.kind === "form" ? target.body.fields : target.query;
  for (const [, tag = "", rest = ""] of inside.matchAll(/<(input|textarea|select|button)\b([^>]*)>/g)) {
    const name = attribute(rest, "name");
    if (name === null || name === "csrf") continue;
    if (attribute(rest, "type") === "file") {
      if (target.body.kind === "form") target.body.hasFile = true;
    } else add(fields, name, tag === "select" ? [] : [attribute(rest, "value") ?? ""]);
  }
  for (const [, opening = "", options = ""] of inside.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
    const name = attribute(opening, "name");
    const values = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, one = ""]) => attribute(one, "value"));
    if (name !== null)
      add(
        fields,
        name,
        values.filter((value) => value !== null),
      );
  }
}

function attribute(text: string, name: string): string | null {
  const [, value] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text) ?? [];
  return value === undefined ? null : unescapeHtml(value);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const valuesPerName = 8;

function add(fields: Fields, name: string, values: readonly string[]): void {
  const held = fields.get(name) ?? [];
  for (const value of values) if (held.length < valuesPerName && !held.includes(value)) held.push(value);
  fields.set(name, held);
}
