import { z } from "zod";

/** The kinds and objects of the specification that several checks share. Unknown fields are free. */
export const absoluteUrl = z.string().refine((text) => URL.canParse(text));
export const texts = z.array(z.string());
export const filledText = z.string().min(1);
export const alpha2 = z.string().regex(/^[A-Za-z]{2}$/);
export const upperCountry = z.string().regex(/^[A-Z]{2}$/);
export const objects = z.array(z.looseObject({}));

export const paymentType = z.looseObject({ paymentTypeId: filledText, name: z.string() });

export const icons = z.looseObject({
  svg: absoluteUrl,
  png: z.looseObject({ "32x32": absoluteUrl, "160x160": absoluteUrl }),
});

export const defaultsEntry = z.looseObject({
  source: filledText,
  target: filledText,
  amount: z.number(),
  paymentMethod: filledText,
  provider: filledText,
});

/** ISO 8601 with milliseconds and Z. `Date` alone would roll 30 February over into March. */
export const statusDate = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text);

export const lowerCase = z.string().refine((text) => text === text.toLowerCase());

export const transactionTexts = {
  apiKey: z.string(),
  onramp: filledText,
  onrampTransactionId: z.string(),
  paymentMethod: z.string(),
  status: filledText,
  transactionId: filledText,
  walletAddress: z.string(),
};

export const fieldDescriptor = z.looseObject({
  type: z.string(),
  name: filledText,
  humanName: z.string(),
  hint: z.string().optional(),
});
export type FieldDescriptor = z.output<typeof fieldDescriptor>;

/** A step that is executed at its url has one, and a form has its fields; other types are as they come. */
export const step = z
  .looseObject({ type: filledText, url: absoluteUrl.optional(), data: z.array(z.unknown()).optional() })
  .refine((found) => !typesWithUrl.has(found.type) || found.url !== undefined, { path: ["url"] })
  .refine((found) => found.type !== "form" || found.data !== undefined, { path: ["data"] });
export type Step = z.output<typeof step>;

const typesWithUrl = new Set(["form", "iframe", "redirect", "file"]);

export const formError = z.looseObject({ message: filledText, field: filledText });
