import type { FieldDescriptor } from "./shapes.ts";

/** A well-formed address that belongs to nobody we know: the checks send no money, but servers look at the form. */
export function exampleAddress(network: string, choice = 0): string {
  const found = Object.entries(addresses).find(([name]) => network.toLowerCase().includes(name));
  const known = found?.[1] ?? ethereum;
  return known[choice] ?? known[0] ?? "";
}

const ethereum = ["0x71C7656EC7ab88b098defB751B7401B5f6d8976F", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"];
const addresses: Readonly<Record<string, readonly string[]>> = {
  bitcoin: ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
  litecoin: ["ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea"],
  dogecoin: ["DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L"],
  solana: ["7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q"],
  tron: ["TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"],
  stellar: ["GBH4TZYZ4IRCPO44CBOLFUHULU2WGALXTAVESQA6432MBJMABBB4GIYI"],
  xrp: ["rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn"],
  ripple: ["rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn"],
  cardano: ["addr1vpu5vlrf4xkxv2qpwngf6cjhtw542ayty80v8dyr49rf5eg0yu80w"],
};

/** A plausible value for a field of a form, by its name: what the fields are is the server's choice. */
export function exampleValue(field: FieldDescriptor, network: string, choice = 0): string | number | boolean {
  if (field.type === "boolean") return true;
  if (field.type === "integer") return 1;
  const name = field.name.toLowerCase();
  const found = valuesByName.find(([pattern]) => pattern.test(name));
  if (found !== undefined) return found[1];
  return /wallet|address/.test(name) ? exampleAddress(network, choice) : "Example";
}

const valuesByName: readonly [RegExp, string][] = [
  [/e-?mail/, "person@conformance.example"],
  [/phone|mobile/, "+4915112345678"],
  [/birth|dob/, "1990-01-31"],
  [/date/, "2030-01-31"],
  [/country|nationality/, "DE"],
  [/postal|zip|postcode/, "10115"],
  [/street|line1/, "Example Street 1"],
  [/city|town/, "Berlin"],
  [/code|otp|pin/, "123456"],
  [/iban/, "DE89370400440532013000"],
];
