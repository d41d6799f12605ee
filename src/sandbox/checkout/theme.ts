import { z } from "@hono/zod-openapi";

const colour = z.string().max(64).optional();

/** How the client wants the page to look: `supportedParams.theme` of a checkout. */
export const themeSchema = z.object({
  isDark: z.boolean().optional(),
  themeName: z.string().max(64).optional(),
  primaryColor: colour,
  secondaryColor: colour,
  primaryTextColor: colour,
  secondaryTextColor: colour,
  cardColor: colour,
  // Shown as nullable, without a type: a number or a text with a unit.
  borderRadius: z
    .unknown()
    .optional()
    .openapi({ type: ["number", "string", "null"] }),
});
export type Theme = z.output<typeof themeSchema>;

/**
 * The theme as a style sheet. What a client sends goes to its customers' browsers, so only what is plainly a colour or a
 * length gets in; anything else leaves the page's own look.
 */
export function writeThemeCss(theme: Theme): string {
  const variables = [
    ["primary", readColour(theme.primaryColor)],
    ["secondary", readColour(theme.secondaryColor)],
    ["primary-text", readColour(theme.primaryTextColor)],
    ["secondary-text", readColour(theme.secondaryTextColor)],
    ["card", readColour(theme.cardColor)],
    ["radius", readLength(theme.borderRadius)],
  ] as const;
  const set = variables.filter(([, value]) => value !== null).map(([name, value]) => `--${name}: ${value};`);
  const scheme = theme.isDark === undefined ? [] : [`color-scheme: ${theme.isDark ? "dark" : "light"};`];
  return `:root { ${[...scheme, ...set].join(" ")} }\n`;
}

function readColour(text: string | undefined): string | null {
  const isColour =
    text !== undefined && /^(#[0-9a-f]{3,8}|[a-z]{3,30}|(rgb|hsl)a?\([0-9.,%/ deg]{1,50}\))$/i.test(text);
  return isColour ? text : null;
}

function readLength(value: unknown): string | null {
  // A number comes as its digits, because amounts in the same body must keep theirs.
  const text =
    typeof value === "number" ? String(value) : typeof value === "string" ? value : numberText(value);
  const found = /^(\d{1,3}(?:\.\d{1,3})?)(px|rem|em|%)?$/.exec(text);
  return found ? `${found[1]}${found[2] ?? "px"}` : null;
}

function numberText(value: unknown): string {
  return typeof value === "object" && value !== null && "value" in value ? String(value.value) : "";
}
