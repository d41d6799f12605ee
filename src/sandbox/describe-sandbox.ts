import { bankCases } from "./banks/cases.ts";
import { grouped, refusedDocument, testCards, testNames, testVouchers } from "./checkout/test-data.ts";
import { refusalKinds } from "./refusal.ts";
import { plantedCases } from "./statements/cases.ts";
import { layoutOf } from "./statements/layouts.ts";
import { dialectWords, type DialectName } from "./transactions/dialect.ts";
import { faultKinds } from "./transactions/faults.ts";
import { endpointGroups, worldTroubles, type EndpointGroup } from "./trouble/trouble.ts";
import type { Provider, World } from "./world/types.ts";

/** The tables of docs/sandbox.md by name; a test fails when the page and the code drift apart. */
export function describeSandbox(world: World): Readonly<Record<string, string>> {
  return {
    dialects: dialects(),
    faults: faults(),
    trouble: trouble(),
    endpoints: endpoints(),
    errors: errors(),
    providers: providers(world),
    cases: cases(plantedCases),
    "bank cases": cases(bankCases),
    "test data": testData(),
  };
}

function dialects(): string {
  const rows = Object.entries(dialectWords).map(([name, words]) => [
    code(name),
    words.map(code).join(", "),
    aboutDialects[name as DialectName],
  ]);
  return table(["Switch", "Words, the default first", "Decides"], rows);
}

const aboutDialects: Readonly<Record<DialectName, string>> = {
  "last-cursor":
    "the cursor of the last page; with `empty-page` it leads to a page without records, with `echo` that page returns it again",
  window: "whether `startDateTime` and `endDateTime` select by status date or by creation",
  start: "whether a record exactly at `startDateTime` is inside",
  end: "whether a record exactly at `endDateTime` is inside",
  order: "the order of records; `scrambled` shuffles those of each page",
  pages:
    "how full a page is: up to the limit, any number up to it, one record, or every second page without records",
  rows: "one record for each status, or only the latest of a transaction",
  "limit-above": "whether a `limit` above 50 is an error, or 50 is in force instead and echoed",
  "unknown-ids":
    "whether an id in `transactionIds` that does not exist is left out, or the whole list is a 404",
  "no-zone": "whether a time without a zone is in UTC, or an error",
  currency:
    "how records name a crypto asset: by its code in lower case (`usdc`), as specified, or by its id, which also tells the network",
  "asset-ids":
    "ids of assets: asset and network joined everywhere (`btc_bitcoin`), or bare for coins on their own chain (`btc`) but in `/supported/assets`",
  key: "whether endpoints that the specification does not mark need the key as well, those of the legacy surface included",
  "error-body":
    "errors of the current surface: `{errorId, type, message, field}`, `{errorCode, errorMessage}` or `{error, error_description}`",
  "rate-error":
    "the `type` of a gateway's error when no amount would help: the input to change, or always `OTHER`",
  expiring: "the unit of `expiringTime`",
};

function faults(): string {
  const rows = Object.entries(faultKinds).map(([name, { unit, about }]) => [
    code(name),
    unit === "rate" ? "0 to 1" : "number",
    about,
  ]);
  return table(["Fault", "Value", "What happens"], rows);
}

function trouble(): string {
  const rows = Object.entries(worldTroubles).map(([name, { unit, about }]) => [
    code(name),
    unit === "rate" ? "0 to 1" : "number",
    about,
  ]);
  const outage = [
    code("outage"),
    "providers, joined by `+`",
    "they quote nothing, serve nobody and open no orders",
  ];
  return table(["Fault", "Value", "What happens"], [outage, ...rows]);
}

function endpoints(): string {
  const rows = endpointGroups.map((group) => [code(group), aboutGroups[group]]);
  return table(
    ["Before the colon", "Befalls"],
    [[code("all"), "all of these, and `/transactions`"], ...rows],
  );
}

const aboutGroups: Readonly<Record<EndpointGroup, string>> = {
  supported: "`/supported…`",
  quotes: "`/quotes/…`",
  checkout: "`/checkout/intent`",
  gateways: "`/legacy/gateways`",
  rate: "`/legacy/rate/…`",
  steps: "form and file steps",
  pages: "checkout pages, and those of iframe and redirect steps",
};

function errors(): string {
  const rows = Object.entries(refusalKinds).map(([type, { status, errorId }]) => [
    String(status),
    String(errorId),
    code(type),
  ]);
  return table(["Status", "`errorId`", "`type`"], rows);
}

function providers(world: World): string {
  const rows = world.providers.map((provider) => [
    code(provider.id),
    provider.buysBack.size > 0 ? "buy, sell" : "buy",
    `${provider.countries.size} / ${provider.fiats.size} / ${provider.assets.size}, ${provider.buysBack.size} / ${provider.paymentMethods.size}`,
    fees(provider),
    `${provider.limitsUsd.min} – ${provider.limitsUsd.max}`,
    `${provider.secondsToDeliver} s`,
    provider.kyc === "low" ? "e-mail" : "e-mail and a document",
    code(layoutOf(provider.id).name),
  ]);
  return table(
    [
      "Provider",
      "Does",
      "Countries / fiats / assets, bought back / methods",
      "Fee, at least, margin",
      "Limits, USD",
      "Delivers in",
      "Asks for",
      "Statement",
    ],
    rows,
  );
}

function fees({ fees: { percentByMethod, minimumUsd, spreadPercent } }: Provider): string {
  return `${percentByMethod["default"] ?? "0"} %, ${minimumUsd} USD, ${spreadPercent} %`;
}

function cases(of: Readonly<Record<string, { readonly codes: readonly string[] }>>): string {
  const rows = Object.entries(of).map(([name, { codes }]) => [
    code(name),
    codes.length === 0 ? "none: it must stay silent" : codes.map(code).join(", "),
  ]);
  return table(["Planted case", "A reconciliation must raise"], rows);
}

function testData(): string {
  return table(
    ["Where", "Type", "What happens"],
    [
      ...testNames.map(({ name, about }) => ["identity, family name", code(name), `the person ${about}`]),
      ["identity, document number", code(refusedDocument), "the person is refused at once"],
      ...testCards.map(({ number, about }) => ["card number", code(grouped(number)), `the payment ${about}`]),
      ...testVouchers.map((each) => ["voucher code", code(each.code), `the voucher ${each.about}`]),
    ],
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function code(word: string): string {
  return `\`${word}\``;
}
