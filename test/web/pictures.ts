import { readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/**
 * Kept pictures of the screens, as lines of text: where the parts of a screen stand across it, and how each kind of part is
 * dressed. Not the dots of a screenshot, which differ from one machine's fonts and browser to the next, and with the day;
 * nothing in here depends on the font, on how many rows there are or on what they say. A broken style sheet changes it all.
 *
 * Renewed on purpose with `UPDATE_PICTURES=1`; the change is then a difference that a person can read.
 */
export interface Picture {
  /** By part: its left edge and its width, in per cent of the window. */
  boxes: Record<string, [left: number, width: number]>;
  /** By part: what it wears. */
  styles: Record<string, string[]>;
}

/** As wide as their place allows, and not as their text asks. */
const placed = [
  ".top",
  "main",
  ".foot",
  ".title-row",
  ".filters",
  ".tabs",
  ".cards",
  ".panel",
  ".columns-2 > :first-child",
  ".columns-2 > :last-child",
  ".table-frame:not(:has(> .narrow))",
  ".split-list",
  ".split-detail",
  ".queue",
  ".chart",
  ".chart-table",
  ".workspace > :first-child",
  ".workspace > :last-child",
  ".sign-in",
];

const dressed = [
  "html",
  "body",
  ".top",
  ".brand",
  ".top nav a",
  ".top nav a[aria-current]",
  "main",
  ".foot",
  "h1",
  "h2",
  "main a[href]:not([role], .card, .figure)",
  "button:not([class])",
  "button.secondary",
  "button.quiet",
  "main input[type=text]",
  "main input[type=date]",
  "main select",
  "main input[type=checkbox]",
  "label > span",
  ".panel",
  ".panel-head",
  ".card",
  ".card-title",
  ".card-figure",
  ".filters",
  ".filter-row",
  ".tabs a",
  ".table-frame",
  "table.list",
  "table.list caption:not(.unseen)",
  "table.list thead th",
  "table.list td",
  "table.list tbody tr",
  "table.list td.figures",
  "td .money",
  ".figures .fraction",
  ".currency",
  ".muted",
  ".chip-good",
  ".chip-bad",
  ".chip-warn",
  ".chip-calm",
  ".chip-plain",
  ".facts",
  ".empty",
  ".queue > li",
  ".unseen",
  ".skip",
  ".segments > a",
  ".menu summary",
  ".menu-body",
  ".pager",
  ".timeline",
  ".coverage svg",
];

const properties = [
  "display",
  "position",
  "color",
  "background-color",
  "font-size",
  "font-weight",
  "text-align",
  "padding-top",
  "padding-left",
  "border-top-width",
  "border-top-color",
  "border-left-width",
  "border-top-left-radius",
  "overflow-x",
  "white-space",
  "flex-wrap",
  "list-style-type",
];

export function takePicture(page: Page): Promise<Picture> {
  return page.evaluate<Picture>(`(${measure})(${JSON.stringify({ placed, dressed, properties })})`);
}

/** Runs in the page; the first of a kind speaks for the others, because links and cells are many. */
const measure = `({ placed, dressed, properties }) => {
  const wide = document.documentElement.clientWidth;
  const per = (length) => Math.round((length / wide) * 1_000) / 10;
  const boxes = {};
  for (const part of placed) {
    const found = [...document.querySelectorAll(part)].find((element) => element.getClientRects().length > 0);
    if (found === undefined) continue;
    const { left, width } = found.getBoundingClientRect();
    boxes[part] = [per(left), per(width)];
  }
  const styles = {};
  for (const kind of dressed) {
    const found = document.querySelector(kind);
    if (found === null) continue;
    const worn = getComputedStyle(found);
    // How the text of a field is cut off is the browser's own, and not the same in each.
    const ours = found.matches("input, select") ? properties.filter((name) => name !== "overflow-x") : properties;
    styles[kind] = ours.map((name) => name + ": " + worn.getPropertyValue(name));
  }
  return { boxes, styles };
}`;

/** As kept: a line for each part of each screen, and one for each way in which a kind of part is dressed. */
export function linesOf(pictures: Readonly<Record<string, Picture>>): string[] {
  const boxes = Object.entries(pictures).flatMap(([screen, picture]) =>
    Object.entries(picture.boxes).map(
      ([part, [left, width]]) =>
        `${screen}\t${part}\tfrom ${left.toFixed(1)} % as wide as ${width.toFixed(1)} %`,
    ),
  );
  const styles = Object.values(pictures).flatMap((picture) =>
    Object.entries(picture.styles).map(([kind, worn]) => `every screen\t${kind}\t${worn.join("; ")}`),
  );
  return [...new Set([...boxes, ...styles])].toSorted();
}

/** Scroll bars and rounding move an edge by less than this. */
const tolerance = 1.5;

/**
 * What is not as it was kept. What is missing is not a difference: some days have no payout that is late. A screen or a part
 * that was never kept is one, so that nothing goes unwatched.
 */
export function differences(kept: readonly string[], now: readonly string[]): string[] {
  const split = (line: string) => line.split("\t") as [screen: string, part: string, said: string];
  const known = new Map<string, string[]>();
  for (const [screen, part, said] of kept.map(split)) {
    const key = `${screen}\t${part}`;
    known.set(key, [...(known.get(key) ?? []), said]);
  }
  return now.filter((line) => {
    const [screen, part, said] = split(line);
    return !(known.get(`${screen}\t${part}`) ?? []).some((before) => isSame(before, said));
  });
}

function isSame(before: string, now: string): boolean {
  if (before === now) return true;
  const [a, b] = [before, now].map((text) =>
    [...text.matchAll(/(?:from|as wide as) (-?[\d.]+)/g)].map(([, digits]) => Number(digits)),
  );
  if (a === undefined || b === undefined || a.length !== 2 || b.length !== 2) return false;
  return a.every((value, at) => Math.abs(value - (b[at] ?? 0)) <= tolerance);
}

/** The pictures of a look beside the kept ones; with `UPDATE_PICTURES=1` they are kept instead. */
export async function compareWithKept(look: string, pictures: Readonly<Record<string, Picture>>) {
  const file = `test/web/pictures/${look}.txt`;
  const now = linesOf(pictures);
  if (process.env["UPDATE_PICTURES"] === "1") await writeFile(file, `${now.join("\n")}\n`);
  const kept = (await readFile(file, "utf8").catch(() => "")).trim().split("\n");
  return differences(kept, now).map((line) => `${look}: not as kept: ${line.replaceAll("\t", " ")}`);
}
