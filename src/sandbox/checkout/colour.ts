/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Reads what a style sheet would take as an opaque colour; `null` for anything else, transparency included. */
export function parseColour(text: string): Rgb | null {
  const plain = text.trim().toLowerCase();
  const named = names.get(plain);
  if (named !== undefined) return fromHex(named);
  if (/^#([0-9a-f]{3}|[0-9a-f]{6})$/.test(plain)) return fromHex(plain.slice(1));
  const [, kind, parts = ""] = /^(rgb|hsl)a?\(([^)]*)\)$/.exec(plain) ?? [];
  if (kind === undefined) return null;
  const [a = "", b = "", c = "", alpha = "1"] = parts.split(/[\s,/]+/).filter(Boolean);
  if (!/^(1|1\.0+|100%)$/.test(alpha)) return null;
  return kind === "rgb" ? fromRgb([a, b, c]) : fromHsl(a, b, c);
}

/** How well two colours can be told apart, from 1 to 21 (WCAG 2). Text needs 4.5. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

export const black: Rgb = [0, 0, 0];
export const white: Rgb = [255, 255, 255];

/** Black or white, whichever reads better there; one of them always has 4.5. */
export function inkOn(background: Rgb): Rgb {
  return contrastOf(background, white) >= contrastOf(background, black) ? white : black;
}

export function toHex(rgb: Rgb): string {
  return `#${rgb.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function fromHex(digits: string): Rgb {
  const whole = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const at = (start: number) => Number.parseInt(whole.slice(start, start + 2), 16);
  return [at(0), at(2), at(4)];
}

function fromRgb(parts: readonly string[]): Rgb | null {
  const [red, green, blue] = parts.map((part) => {
    const [, number, percent] = /^(\d{1,3}(?:\.\d+)?)(%?)$/.exec(part) ?? [];
    if (number === undefined) return Number.NaN;
    return Math.min(255, Math.round(percent === "%" ? (Number(number) * 255) / 100 : Number(number)));
  });
  if (red === undefined || green === undefined || blue === undefined) return null;
  return [red, green, blue].some(Number.isNaN) ? null : [red, green, blue];
}

function fromHsl(hue: string, saturation: string, lightness: string): Rgb | null {
  const [, degrees] = /^(\d{1,3}(?:\.\d+)?)(?:deg)?$/.exec(hue) ?? [];
  const [s, l] = [saturation, lightness].map((part) => {
    const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(part) ?? [];
    return percent === undefined ? Number.NaN : Math.min(100, Number(percent)) / 100;
  });
  if (degrees === undefined || s === undefined || l === undefined || Number.isNaN(s + l)) return null;
  const channel = (shift: number) => {
    const k = (shift + Number(degrees) / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** The colours that HTML has had from its first days, and a few that people use as a brand. */
const names: ReadonlyMap<string, string> = new Map(
  `black 000000 silver c0c0c0 gray 808080 grey 808080 white ffffff maroon 800000 red ff0000 purple 800080 fuchsia ff00ff
   magenta ff00ff green 008000 lime 00ff00 olive 808000 yellow ffff00 navy 000080 blue 0000ff teal 008080 aqua 00ffff
   cyan 00ffff orange ffa500 pink ffc0cb gold ffd700 indigo 4b0082 violet ee82ee brown a52a2a crimson dc143c coral ff7f50
   salmon fa8072 tomato ff6347 turquoise 40e0d0 lavender e6e6fa beige f5f5dc ivory fffff0 midnightblue 191970 royalblue
   4169e1 steelblue 4682b4 skyblue 87ceeb forestgreen 228b22 seagreen 2e8b57 slategray 708090 darkblue 00008b darkgreen
   006400 darkred 8b0000 whitesmoke f5f5f5 rebeccapurple 663399`
    .match(/[a-z]+\s+[0-9a-f]{6}/g)
    ?.map((pair) => pair.split(/\s+/) as [string, string]),
);
