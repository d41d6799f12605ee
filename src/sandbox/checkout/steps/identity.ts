import { html } from "hono/html";
import { isoCountryList } from "../../world/iso-countries.ts";
import { concludeIdentity } from "../conclude-identity.ts";
import { choiceField, FieldError, readField, textField } from "../page/fields.ts";
import { stepForm, testDataList } from "../page/form.ts";
import { identityOf, refusedDocument, testNames, type IdentityResult } from "../test-data.ts";
import type { Walk } from "../walk.ts";
import type { Step } from "./step.ts";

const documents = [
  ["passport", "Passport"],
  ["drivingLicence", "Driving licence"],
  ["identityCard", "Identity card"],
] as const;

export const identity: Step = {
  title: () => "Confirm your identity",
  show: ({ home, provider, purchase }, given) =>
    html`<p>${provider.displayName} is required to check who its customers are.</p>
      ${stepForm(
        `${home}/identity`,
        html`<div class="pair">
            ${textField({ name: "givenName", label: "Given name", autocomplete: "given-name" }, given)}
            ${textField({ name: "familyName", label: "Family name", autocomplete: "family-name" }, given)}
          </div>
          <div class="pair">
            ${textField({ name: "birthDate", label: "Date of birth", type: "date", autocomplete: "bday" }, given)}
            ${choiceField(
              {
                name: "country",
                label: "Country",
                choices: isoCountryList.map((each) => [each, countryName(each)]),
              },
              { ...given, fallback: purchase.country },
            )}
          </div>
          <div class="pair">
            ${choiceField(
              { name: "document", label: "Document", choices: documents },
              { ...given, fallback: "passport" },
            )}
            ${textField({ name: "documentNumber", label: "Document number" }, given)}
          </div>`,
        "Continue",
      )}`,
  sandbox: () =>
    html`<p>Make something up: nothing is stored, and real documents have no place here. Family names:</p>
      ${testDataList([
        ...testNames.map(({ name, about }) => [name, about] as const),
        [refusedDocument, "as the document number: is refused at once"],
      ])}`,
  take(walk, form) {
    concludeIdentity(walk.deps, walk.entry, readResult(walk, form));
  },
};

function readResult(walk: Walk, form: URLSearchParams): IdentityResult {
  readField(form, "givenName", "The given name");
  const familyName = readField(form, "familyName", "The family name");
  checkBirthDate(readField(form, "birthDate", "The date of birth"), walk.nowMs);
  const country = readField(form, "country", "The country");
  if (!isoCountryList.includes(country)) throw new FieldError("country", "Choose a country from the list.");
  if (!documents.some(([id]) => id === form.get("document"))) {
    throw new FieldError("document", "Choose a document from the list.");
  }
  const number = readField(form, "documentNumber", "The document number");
  if (number.toUpperCase() === refusedDocument) return "refused";
  return identityOf(familyName);
}

function checkBirthDate(text: string, nowMs: number): void {
  const bornMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(bornMs) || bornMs > nowMs || text < "1900") {
    throw new FieldError("birthDate", "That is not a date of birth; it should look like 1990-05-17.");
  }
  const grownUp = `${Number(text.slice(0, 4)) + 18}${text.slice(4)}`;
  if (grownUp > new Date(nowMs).toISOString().slice(0, 10)) {
    throw new FieldError("birthDate", "You must be 18 years old.");
  }
}

const names = new Intl.DisplayNames(["en"], { type: "region" });

function countryName(code: string): string {
  return names.of(code) ?? code;
}
