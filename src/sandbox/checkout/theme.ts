import { z } from "@hono/zod-openapi";
import { black, contrastOf, inkOn, parseColour, toHex, white, type Rgb } from "./colour.ts";

const shortText = z.string({ error: "expected a text" }).max(64, "expected at most 64 characters").optional();

/** How the client wants the page to look: `supportedParams.theme` of a checkout. */
export const themeSchema = z.object(
  {
    isDark: z.boolean({ error: "expected true or false" }).optional(),
    themeName: shortText,
    primaryColor: shortText,
    secondaryColor: shortText,
    primaryTextColor: shortText,
    secondaryTextColor: shortText,
    cardColor: shortText,
    // Shown as nullable, without a type: a number or a text with a unit.
    borderRadius: z
      .unknown()
      .optional()
      .openapi({ type: ["number", "string", "null"] }),
  },
  { error: "expected an object" },
);
export type Theme = z.output<typeof themeSchema>;

/**
 * The theme as a style sheet. What a client sends goes to its customers' browsers, so only what is plainly an opaque
 * colour or a length gets in; anything else leaves the page's own look. A text that could not be read on its
 * background is replaced: customers must be able to read what they pay.
 */
export function writeThemeCss(theme: Theme): string {
  const card = readColour(theme.cardColor);
  const text = readColour(theme.primaryTextColor);
  const isDark = theme.isDark ?? guessDark({ card, text });
  const background = card ?? (isDark === undefined ? null : isDark ? ownCard.dark : ownCard.light);
  const variables = [
    ...surface("primary", readColour(theme.primaryColor)),
    ...surface("secondary", readColour(theme.secondaryColor)),
    ["primary-text", readable(text, background, card !== null)],
    ["secondary-text", readable(readColour(theme.secondaryTextColor), background, card !== null)],
    ["card", card],
  ] as const;
  const radius = readLength(theme.borderRadius);
  const set = [
    ...(isDark === undefined ? [] : [`color-scheme: ${isDark ? "dark" : "light"};`]),
    ...variables.flatMap(([name, value]) => (value === null ? [] : [`--${name}: ${toHex(value)};`])),
    ...(radius === null ? [] : [`--radius: ${radius};`]),
  ];
  return `:root { ${set.join(" ")} }\n`;
}

/** What the page has of its own: `--card` of its style sheet. */
const ownCard: { readonly light: Rgb; readonly dark: Rgb } = { light: white, dark: [0x11, 0x18, 0x27] };
const readableContrast = 4.5;

/** A colour to stand on, and black or white for what stands on it. */
function surface(name: string, colour: Rgb | null): (readonly [string, Rgb | null])[] {
  return colour === null
    ? []
    : [
        [name, colour],
        [`on-${name}`, inkOn(colour)],
      ];
}

/** Where nothing is said about darkness, the colours tell. */
function guessDark({ card, text }: { card: Rgb | null; text: Rgb | null }): boolean | undefined {
  if (card !== null) return inkOn(card) === white;
  return text === null ? undefined : inkOn(text) === black;
}

/** The wanted ink, where it can be read; the page's own would not suit a card of the client's. */
function readable(ink: Rgb | null, background: Rgb | null, isForeign: boolean): Rgb | null {
  if (background === null) return ink;
  if (ink === null) return isForeign ? inkOn(background) : null;
  return contrastOf(ink, background) >= readableContrast ? ink : inkOn(background);
}

function readColour(text: string | undefined): Rgb | null {
  return text === undefined ? null : parseColour(text);
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
