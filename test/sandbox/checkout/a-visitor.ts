import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { ask, type Answer, type SandboxUnderTest } from "../use-sandbox.ts";

/** A checkout of a German customer, and the fields that its steps want. */
export const buyOrder = {
  onramp: "moonpay",
  source: "eur",
  destination: "btc",
  amount: 200,
  wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
};
export const sellOrder = {
  ...buyOrder,
  source: "btc",
  destination: "eur",
  amount: 0.01,
  type: "sell",
  paymentMethod: "sepainstant",
};

export const ada = {
  givenName: "Ada",
  familyName: "Lovelace",
  birthDate: "1985-12-10",
  country: "DE",
  document: "passport",
  documentNumber: "C01X00T47",
};
export const goodCard = { cardNumber: "4242 4242 4242 4242", expiry: "12/30", securityCode: "123" };
export const cardOf = (cardNumber: string) => ({ ...goodCard, cardNumber });

export interface Visitor {
  readonly url: string;
  readonly transactionId: string;
  look(step?: string): Promise<Answer>;
  /** Sends the form of a step; answers with the step it leads to, or the problem. */
  send(step: string, fields?: Record<string, string>): Promise<string>;
  /** The step whose turn it is, as the page's script asks for it. */
  state(): Promise<{ step: string; status: string; detail: string }>;
}

/** Someone without a browser who opens a checkout and sends its forms. */
export async function visit(sandbox: SandboxUnderTest, order: object): Promise<Visitor> {
  const answer = await sandbox.post("/checkout/intent", order);
  const { transactionInformation } = checkoutIntentResponse.parse(answer.json).message;
  const { url, transactionId } = transactionInformation;
  return { ...visitorAt(url), transactionId };
}

export function visitorAt(url: string): Omit<Visitor, "transactionId"> {
  return {
    url,
    look: (step) => ask(step === undefined ? url : `${url}/${step}`),
    async send(step, fields = {}) {
      const body = new URLSearchParams(fields);
      const answer = await ask(`${url}/${step}`, { method: "POST", body });
      if (answer.status === 422) return problemOf(answer);
      const to = answer.headers.get("location") ?? `status ${answer.status}`;
      return to === new URL(url).pathname ? "home" : (to.split("/").at(-1) ?? "");
    },
    state: async () => (await ask(`${url}/state`)).json as Awaited<ReturnType<Visitor["state"]>>,
  };
}

/** `field: message`, as the page shows it. */
function problemOf({ text }: Answer): string {
  const [, field, message] = /id="(\w+)-problem" class="wrong" role="alert"\s*>([^<]*)</.exec(text) ?? [];
  return `${field}: ${message}`;
}

/** Up to the payment. */
export async function introduce(visitor: Visitor, person: Record<string, string> = ada): Promise<string> {
  await visitor.send("contact", { email: "ada@example.org" });
  await visitor.send("code", { code: "123456" });
  return visitor.send("identity", person);
}
