import { type Chance, createChance } from "../../simulate/chance.ts";
import { type Body, type Fields, isOfApi, type Target } from "./surface.ts";
import { nastyHeader, nastyText } from "./values.ts";

/** How someone is known to the service; a stranger by nothing. */
export interface Guise {
  name: string;
  key: string | null;
  cookie: string | null;
  csrf: string;
}

export interface HostileRequest {
  number: number;
  guise: string;
  method: string;
  /** The route that it was made for. */
  route: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** Request `number` of a seed: the same for the same routes, whatever was sent before it. */
export function hostileRequest(
  { targets, guises, origin }: { targets: readonly Target[]; guises: readonly Guise[]; origin: string },
  seed: number,
  number: number,
): HostileRequest {
  const chance = createChance(seed, "request", number);
  // Each route in its turn, so that none is left out.
  const target = targets[number % targets.length];
  if (target === undefined) throw new RangeError("there are no routes to send to");
  const guise = chance.pick(guises);
  const headers: Record<string, string> = { origin };
  identify(chance, target, guise, headers);
  const body = target.method === "GET" ? null : bodyOf(chance, target.body, guise, headers);
  for (let more = chance.whole(0, 2); more > 0; more -= 1) {
    const name = chance.pick(headerNames);
    if (headers[name] === undefined) headers[name] = nastyHeader(chance);
  }
  const { method, path: route } = target;
  const path = addressOf(chance, target);
  return { number, guise: guise.name, method, route: `${method} ${route}`, path, headers, body };
}

const headerNames = [
  "accept",
  "accept-encoding",
  "accept-language",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "idempotency-key",
  "request-id",
  "traceparent",
  "x-forwarded-proto",
  "x-forwarded-host",
  "forwarded",
  "hx-request",
  "hx-target",
  "x-csrf-token",
  "content-encoding",
  "content-type",
  "cookie",
  "authorization",
  "x-service-secret",
  "user-agent",
  "referer",
];

function identify(chance: Chance, { path }: Target, guise: Guise, headers: Record<string, string>): void {
  // Strangers come from everywhere: by one address they would soon be told to wait.
  headers["x-forwarded-for"] = `10.${chance.whole(0, 255)}.${chance.whole(0, 255)}.${chance.whole(1, 254)}`;
  if (isOfApi(path)) {
    if (guise.key === null) return;
    headers["authorization"] = path.startsWith("/mirror") ? guise.key : `Bearer ${guise.key}`;
    if (path.startsWith("/mirror")) headers["x-service-secret"] = guise.key;
  } else if (guise.cookie !== null) headers["cookie"] = guise.cookie;
}

function addressOf(chance: Chance, { path, places, query }: Target): string {
  const isKnown = places.length > 0 && chance.happens(0.7);
  const place = isKnown
    ? chance.pick(places)
    : path.replaceAll(/:\w+(\{[^}]*\})?/g, () => encode(nastyText(chance)) || "x");
  const [plain = "/", known = ""] = place.split("?");
  const parameters = new URLSearchParams(known);
  for (const [name, value] of pairsOf(chance, query)) parameters.append(name, value);
  const text = parameters.toString();
  return text === "" ? plain : `${plain}?${text}`;
}

/** A few of the names that are known, with values that would be taken, nearly taken, or never. */
function pairsOf(chance: Chance, fields: Fields): [string, string][] {
  const names = [...fields.keys()];
  const pairs: [string, string][] = [];
  for (let more = chance.whole(0, 4); more > 0; more -= 1) {
    const name =
      names.length > 0 && chance.happens(0.9) ? chance.pick(names) : nastyText(chance).slice(0, 40);
    pairs.push([name, valueOf(chance, fields.get(name) ?? [])]);
  }
  return pairs;
}

function valueOf(chance: Chance, known: readonly string[]): string {
  if (known.length === 0 || chance.happens(0.5)) return nastyText(chance);
  const value = chance.pick(known);
  const how = chance.whole(0, 5);
  if (how === 0) return value + nastyText(chance);
  if (how === 1) return value.slice(0, chance.whole(0, value.length));
  if (how === 2) return `${value},${value},${nastyText(chance)}`;
  return value;
}

function bodyOf(chance: Chance, body: Body, guise: Guise, headers: Record<string, string>): Buffer {
  // Now and then what belongs to another route.
  const kind = chance.happens(0.9) ? body.kind : chance.pick(["none", "json", "file", "form"] as const);
  if (kind === "json") {
    headers["content-type"] = "application/json";
    const example = body.kind === "json" ? body.example : {};
    return Buffer.from(chance.happens(0.1) ? nastyText(chance) : nearly(chance, example));
  }
  if (kind === "file") {
    headers["content-type"] = chance.pick(["text/csv", "application/octet-stream", "application/xml"]);
    return fileOf(chance);
  }
  const fields = formFields(chance, body, guise);
  if (kind === "form" && body.kind === "form" && body.hasFile) {
    headers["content-type"] = "multipart/form-data; boundary=frontier";
    return multipart(fields, fileOf(chance));
  }
  headers["content-type"] = "application/x-www-form-urlencoded";
  return Buffer.from(new URLSearchParams(fields).toString());
}

/** All that the form has, some of it spoilt; and its token, so that the refusal is not always the same. */
function formFields(chance: Chance, body: Body, { csrf }: Guise): [string, string][] {
  const fields: [string, string][] = chance.happens(0.95) ? [["csrf", csrf]] : [];
  if (body.kind === "form")
    for (const [name, known] of body.fields) {
      if (chance.happens(0.85)) fields.push([name, spoilt(chance, known)]);
    }
  if (chance.happens(0.2)) fields.push([nastyText(chance).slice(0, 40), nastyText(chance)]);
  return fields;
}

function spoilt(chance: Chance, known: readonly string[]): string {
  const useful = known.filter((value) => value !== "");
  if (useful.length > 0 && chance.happens(0.7)) return chance.pick(useful);
  return valueOf(chance, known);
}

/** The JSON of something like the example: a value replaced here, a key left out or added there. */
function nearly(chance: Chance, example: unknown): string {
  const change = (value: unknown): unknown => {
    if (chance.happens(0.12)) return anything(chance);
    if (Array.isArray(value)) {
      const items = value.map(change);
      return chance.happens(0.1) ? Array.from({ length: 300 }, () => items[0]) : items;
    }
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(() => chance.happens(0.93));
    const changed = Object.fromEntries(kept.map(([name, one]) => [name, change(one)]));
    if (chance.happens(0.1)) changed[nastyText(chance).slice(0, 40)] = anything(chance);
    return changed;
  };
  return JSON.stringify(change(example)) ?? "";
}

function anything(chance: Chance): unknown {
  return chance.pick([
    () => nastyText(chance),
    () => null,
    () => chance.whole(-9, 9),
    () => 1e308,
    () => 2 ** 60,
    () => -0.000_000_1,
    () => [],
    () => ({ [nastyText(chance)]: [] }),
    () => true,
  ])();
}

const headersOfFiles = [
  "provider,provider_transaction_id,status,fiat_currency,fiat_gross,fiat_net,effective_at\n",
  "date,amount,currency,reference\n2026-03-25,",
  "kind,percent,fixed,currency\nshare,",
  "Date,USD,JPY\n2026-03-25,",
  ":20:X\n:25:X\n:28C:1\n:60F:C260325EUR1,00\n:61:260325C1,00NMSC",
  "01,X,Y,260325,0000,1,,,2/\n02,X,Y,1,260325,0000,EUR,2/\n03,1,EUR,",
  "OFXHEADER:100\n\n<OFX><STMTTRN><TRNAMT>",
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>',
  "PK\u0003\u0004",
  "\uFEFF",
  "",
];

function fileOf(chance: Chance): Buffer {
  const lines = Array.from({ length: chance.whole(0, 12) }, () => nastyText(chance));
  return Buffer.from(
    chance.pick(headersOfFiles) + lines.join(chance.pick(["\n", ",", "\r\n", '","', ";"])),
    chance.happens(0.8) ? "utf8" : "latin1",
  );
}

function multipart(fields: readonly [string, string][], file: Buffer): Buffer {
  const parts = fields.map(
    ([name, value]) =>
      `--frontier\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, "")}"\r\n\r\n${value}\r\n`,
  );
  const opening = `--frontier\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join("") + opening), file, Buffer.from("\r\n--frontier--\r\n")]);
}

/** Half a surrogate pair cannot be put into an address: its place is taken, as everywhere, by U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
