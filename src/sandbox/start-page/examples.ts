/** A request to copy or to send from the console. */
export interface Example {
  readonly title: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Which of the two headers it needs. */
  readonly sends: "nothing" | "key" | "secret";
  readonly body?: string;
}

const checkout = {
  onramp: "moonpay",
  source: "usd",
  destination: "btc",
  amount: 100,
  type: "buy",
  paymentMethod: "creditcard",
  network: "bitcoin",
  partnerContext: "order 17",
  wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
};

/** In the order in which someone who builds a shop needs them. */
export const examples: readonly Example[] = [
  { title: "What can be bought", method: "GET", path: "/supported?type=buy", sends: "nothing" },
  {
    title: "How people pay in Germany",
    method: "GET",
    path: "/supported/payment-types/eur?country=DE",
    sends: "nothing",
  },
  { title: "Your providers", method: "GET", path: "/supported/onramps/all", sends: "key" },
  { title: "Quotes to buy", method: "GET", path: "/quotes/usd/btc?amount=100", sends: "key" },
  { title: "Quotes to sell", method: "GET", path: "/quotes/btc/usd?amount=0.01&type=sell", sends: "key" },
  {
    title: "Start a checkout, and open its url",
    method: "POST",
    path: "/checkout/intent",
    sends: "key",
    body: JSON.stringify(checkout, null, 2),
  },
  { title: "Read your transactions", method: "GET", path: "/transactions?limit=5", sends: "secret" },
  {
    title: "Gateways, on the legacy surface",
    method: "GET",
    path: "/legacy/gateways?country=DE",
    sends: "nothing",
  },
  {
    title: "Rates there",
    method: "GET",
    path: "/legacy/rate/EUR/BTC/creditCard/100?country=DE",
    sends: "nothing",
  },
];

/** The example as a command; key and secret as the page knows them. */
export function curlOf(
  { method, path, sends, body }: Example,
  { origin, apiKey, apiSecret }: { origin: string; apiKey: string; apiSecret: string },
): string {
  const parts = [
    `curl ${quoted(origin + path)}`,
    ...(sends === "nothing" ? [] : [`  -H ${quoted(`Authorization: ${apiKey}`)}`]),
    ...(sends === "secret" ? [`  -H ${quoted(`x-service-secret: ${apiSecret}`)}`] : []),
    ...(method === "POST" ? [`  -H 'content-type: application/json'`, `  -d ${quoted(body ?? "")}`] : []),
  ];
  return parts.join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
