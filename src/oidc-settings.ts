import { isSafeUrl, unsafeUrl } from "./accounts-file.ts";
import { quote } from "./core/quote.ts";
import { roles } from "./core/roles.ts";
import type { Secret } from "./core/secret.ts";
import type { Reader } from "./environment.ts";

/** The company's own sign-in service, as it is configured. */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: Secret | null;
  /** `finance=accountant, heads=controller` */
  rolesOfGroups: string;
}

/** Complete, or not there at all. */
export function readOidc(reader: Reader, problems: string[]): OidcConfig | null {
  const issuer = reader.text("OIDC_ISSUER");
  const clientId = reader.text("OIDC_CLIENT_ID");
  const clientSecret = reader.secret("OIDC_CLIENT_SECRET");
  const rolesOfGroups = reader.text("OIDC_ROLES") ?? "";
  if (issuer === null && clientId === null && clientSecret === null && rolesOfGroups === "") return null;
  if (issuer === null || clientId === null) {
    problems.push("OIDC_ISSUER and OIDC_CLIENT_ID: set both, or none of the OIDC variables");
    return null;
  }
  if (!isSafeUrl(issuer)) problems.push(`OIDC_ISSUER: ${unsafeUrl(issuer)}`);
  if (reader.text("PUBLIC_URL") === null)
    problems.push("PUBLIC_URL: the sign-in service sends people back there; set it with OIDC_ISSUER");
  const wrong = rolesOfGroupsProblem(rolesOfGroups);
  if (wrong !== null) problems.push(wrong);
  return { issuer, clientId, clientSecret, rolesOfGroups };
}

function rolesOfGroupsProblem(text: string): string | null {
  const pairs = text.split(",").map((each) => each.trim());
  const wrong = pairs.filter((pair) => pair !== "" && !new RegExp(`^[^=]+=(${roles.join("|")})$`).test(pair));
  if (wrong.length === 0) return null;
  return `OIDC_ROLES: ${quote(wrong.join(","))} is not understood; write group=role, several with commas; roles are ${roles.join(", ")}`;
}
