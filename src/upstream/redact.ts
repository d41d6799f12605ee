export type Redact = (text: string) => string;

const mask = "[redacted]";
// What a body may say about a person, in the field names we know.
const personalField = /"(wallet\w*|address\w*|e?mail\w*|iban)"\s*:\s*"[^"]*"?/gi;

/** Takes keys and secrets out of a text, in every spelling in which a server might echo them, and wallets besides. */
export function createRedact(secrets: readonly string[]): Redact {
  const spellings = secrets
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      base64(secret),
    ])
    // The longest first: a key may be the beginning of the secret, and its mask would leave the rest.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    let redacted = text;
    for (const spelling of spellings) redacted = redacted.replaceAll(spelling, mask);
    return redacted.replace(personalField, `"$1":"${mask}"`);
  };
}

const detailCharactersMax = 1024;

/** The beginning of a body that could not be used, fit for an error. */
export function bodyDetail(redact: Redact, text: string): string {
  // Redacted before it is cut: half a secret at the edge would not be recognised.
  return redact(text.slice(0, 4 * detailCharactersMax)).slice(0, detailCharactersMax);
}

function base64(secret: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, "");
}
