import { html, raw } from "hono/html";
import type { Html } from "../page/html.ts";
import { encodeQr } from "./encode.ts";

/** The code as a picture, dark on white whatever the theme: scanners want it so, with a light border of four modules. */
export function drawQr(text: string, label: string): Html {
  const modules = encodeQr(text);
  const side = modules.length + 2 * quietModules;
  const path = modules
    .flatMap((row, y) =>
      [...row].flatMap((module, x) =>
        module === 1 ? [`M${x + quietModules} ${y + quietModules}h1v1h-1z`] : [],
      ),
    )
    .join("");
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <rect width="${side}" height="${side}" fill="#ffffff" />
    <path d="${raw(path)}" fill="#000000" />
  </svg>`;
}

const quietModules = 4;
